// hints: suggests what to type when a statement does not compile.
#include "hints.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/show/complain.h"

// `bilanx time 'sleep 0.1'` does not compile, but it names a program.
static char *about_command(const struct bilanx_task *task)
{
    AUTO(memory) char *word = mem_text_n(task->stmt, strcspn(task->stmt, " "));
    AUTO(memory) char *program = file_find_program(word);
    bool alone = !strchr(task->stmt, ' ');  // its arguments may be words of their own
    return program ? mem_format("'%s' is a program: to time a command, type 'bilanx time -- %s%s'",
                                word, task->stmt, alone ? " ..." : "")
                   : NULL;
}

static char *about_file(const struct bilanx_task *task)
{
    struct stat status;
    if (stat(task->stmt, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    return mem_format("'%s' is a file: to measure what it defines, give a call as the statement, "
                      "and --source %s",
                      task->stmt, task->stmt);
}

// -s char *s = "text", without quotes.
static char *about_quotes(const struct bilanx_task *task)
{
    const char *setup = task->setup ? task->setup : "";
    if (!*setup || strpbrk(setup, " =;({\n"))
        return NULL;
    return mem_format("the setup is only '%s': quote all of it, as in -s '%s ...'", setup, setup);
}

// GCC names the header of a function of libc: "note: include '<ctype.h>' or provide a declaration".
static char *about_header(const char *output)
{
    const char *include = strstr(output, "note: include ");
    const char *open = include ? strchr(include, '<') : NULL;
    const char *close = open ? strpbrk(open, ">\n") : NULL;
    if (!close || *close != '>')
        return NULL;
    return mem_format("add the header with -g '#include %.*s'", (int)(close + 1 - open), open);
}

// Compilers differ in their quotes. In another language than English there are no hints.
static char *about_message(const struct bilanx_task *task, const char *message)
{
    static const struct {
        const char *language, *said, *hint;
    } hints[] = {
        {"", "undefined reference",
         "to link a library, add --pkg NAME or --ldflags -lNAME; to add a file, --source FILE"},
        {"c", "std", "that looks like C++: add -l c++"},
        {"c", "implicit declaration",
         "to declare a function, add its header with -g '#include <...>', or --source FILE"},
        {"c", "undeclared",
         "declare variables in the setup, as in -s 'int x = 1'; other languages are -l c++ and "
         "-l python"},
        {"c++", "not declared", "declare variables in the setup, as in -s 'int x = 1'"},
        {"", "pkg-config: ", "'pkg-config --list-all' lists all packages"},
    };
    const char *language = task->language ? task->language : "";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if ((!*hints[i].language || strcmp(hints[i].language, language) == 0) &&
            strstr(message, hints[i].said))
            return mem_text(hints[i].hint);
    return NULL;
}

static char *find(const struct bilanx_task *task, const struct bilanx_failure *failure)
{
    const char *message = failure->text ? failure->text : "";
    char *hint = NULL;
    if (task->stmt && !strpbrk(task->stmt, "(){};=\n"))
        hint = about_command(task);
    if (!hint && task->stmt)
        hint = about_file(task);
    if (!hint)
        hint = about_quotes(task);
    if (!hint && strstr(message, "implicit declaration") && failure->output)
        hint = about_header(failure->output);
    return hint ? hint : about_message(task, message);
}

void hint_at(const struct bilanx_task *task, const struct bilanx_failure *failure,
             struct list *given)
{
    if (!failure || !text_equal(failure->code, "compile-failed"))
        return;
    AUTO(memory) char *hint = find(task, failure);
    for (size_t i = 0; hint && i < given->count; i++)
        if (strcmp(given->items[i], hint) == 0)
            return;
    if (!hint)
        return;
    complain(hint);
    list_add(given, hint);
}

// rules: which files a compiler or linker read.
#include "rules.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

struct rule_reader {
    const char *workplace, *directory;  // of the compiler; NULL: the current directory
    struct list *inputs;
};

// Omits our files and the linker's temporary files, which do not last.
static void take_input(const struct rule_reader *reader, struct text *word)
{
    AUTO(memory) char *path = text_take(word);
    if (path[0] != '/' && reader->directory) {
        char *whole = mem_format("%s/%s", reader->directory, path);
        free(path);
        path = whole;
    }
    if (!text_starts(path, reader->workplace) && access(path, R_OK) == 0)
        list_take(reader->inputs, TAKE(path));
}

// Parses a Make rule "target: a b \<newline> c\ d". A backslash is literal unless it precedes a
// character that Make would treat specially.
void rules_read(const char *path, const char *workplace, const char *directory, struct list *inputs)
{
    const struct rule_reader reader = {workplace, directory, inputs};
    AUTO(text) struct text rule = {0}, word = {0};
    if (file_read(path, &rule).status != BILANX_OK)
        return;
    const char *at = strstr(text_get(&rule), ": ");
    for (at = at ? at + 1 : ""; *at; at++) {
        if (at[0] == '\\' && at[1] == '\n') {
            at++;
        } else if ((at[0] == '\\' && at[1] && strchr(" \t#:\\", at[1])) ||
                   (at[0] == '$' && at[1] == '$')) {
            text_add_char(&word, *++at);
            continue;
        } else if (*at != ' ' && *at != '\n') {
            text_add_char(&word, *at);
            continue;
        }
        if (word.size)
            take_input(&reader, &word);
        if (*at == '\n' && at[1] != ' ')  // later rules are for missing headers
            break;
    }
    if (word.size)
        take_input(&reader, &word);
}

// ops_record: starts a Python program under our recorder.
#include "ops_record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/output.h"
#include "sources/statements/language.h"

struct settings {
    const char *output, *python;
    bool all, chains, overwrite;
};

#define AT(member) offsetof(struct settings, member)

static const struct option record_options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", .writes = "a log",
     .help = "the log (default: operators.txt)"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), .help = "replace the log in FILE"},
    {"all", 0, OPTION_FLAG, AT(all), .help = "also record views, and constructors like zeros_like"},
    {"chains", 0, OPTION_FLAG, AT(chains),
     .help = "also record chains of pointwise operators that feed\n"
             "each other, for 'bilanx ops --fuse'"},
    {"python", 0, OPTION_TEXT, AT(python), "PYTHON",
     .help = "interpreter for a command that starts with a script\n"
             "(default: BILANX_PYTHON, or python3)"},
    {0},
};

static const struct example record_examples[] = {
    {"bilanx ops record -- python3 train.py --epochs 1", "records operators.txt"},
    {"bilanx ops record -o bert.txt -- python3 -m bert", "... of a module"},
    {0},
};

const struct command ops_record_command = {
    .name = "ops record",
    .usage = "[OPTION...] -- python3 [OPTION...] SCRIPT|-m MODULE|-c CODE [ARGUMENT...]",
    .summary = "record the operators that a PyTorch program calls, forward and backward",
    .options = record_options,
    .examples = record_examples,
};

static const struct output_kind log_kind = {.name = "an operator log", .starts = "Operator:"};

static bool is_interpreter(const char *word)
{
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    return text_starts(name, "python") || text_starts(name, "pypy");
}

static bool is_script(const char *word)
{
    size_t size = strlen(word);
    return size > 3 && strcmp(word + size - 3, ".py") == 0;
}

// The interpreter's options that have a value of their own.
static bool has_value(const char *word)
{
    return strcmp(word, "-X") == 0 || strcmp(word, "-W") == 0 ||
           strcmp(word, "--check-hash-based-pycs") == 0;
}

// Finds where in the command the program starts: a script, -m or -c.
static struct bilanx_error find_program(const struct words *command, size_t *out)
{
    for (size_t i = is_interpreter(command->items[0]); i < command->count; i++) {
        const char *word = command->items[i];
        bool is_program = word[0] != '-' || strcmp(word, "-m") == 0 || strcmp(word, "-c") == 0;
        if (is_program && word[0] == '-' && i + 1 == command->count)
            return bilanx_error_make(BILANX_E_USAGE, "'%s' needs a value", word);
        if (is_program) {
            *out = i;
            return BILANX_SUCCESS;
        }
        i += has_value(word);
    }
    return bilanx_error_make(BILANX_E_USAGE, "the command has no script, no -m and no -c");
}

// python3 -u train.py ARGUMENTS becomes python3 -u RECORDER FLAGS:FILE train.py ARGUMENTS.
static struct bilanx_error build_command(const struct settings *settings,
                                         const struct words *command, struct list *out)
{
    size_t program = 0;
    AUTO(memory) char *recorder = NULL;
    const char *told = getenv("BILANX_PYTHON");
    if (!is_interpreter(command->items[0])) {
        if (!is_script(command->items[0]))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "'%s' is neither a Python nor a script: record with "
                                     "'-- python3 script.py'",
                                     command->items[0]);
        list_add(out, settings->python ? settings->python : told && *told ? told : "python3");
    }
    BILANX_TRY(find_program(command, &program));
    BILANX_TRY(language_find_part("python/bilanx_record.py", NULL, NULL, &recorder));
    for (size_t i = 0; i < program; i++)
        list_add(out, command->items[i]);
    list_add(out, recorder);
    list_take(out, mem_format("%s%s:%s", settings->all ? "a" : "", settings->chains ? "c" : "",
                              settings->output));
    for (size_t i = program; i < command->count; i++)
        list_add(out, command->items[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error start(const struct settings *settings, const struct words *command)
{
    AUTO(list) struct list words = {0};
    if (command->count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "missing command after '--'");
    BILANX_TRY(build_command(settings, command, &words));
    BILANX_TRY(output_check(settings->output, &log_kind,
                            settings->overwrite ? OUTPUT_REPLACE : OUTPUT_NEW));
    AUTO(memory) char *program = file_find_program(words.items[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_INPUT, "cannot find '%s' on the PATH", words.items[0]);
    execv(program, words.items);
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot execute '%s': %s", program, strerror(errno));
}

int ops_record(int argc, char **argv)
{
    AUTO(words) struct words command = {0};
    struct settings settings = {.output = "operators.txt"};
    int code = command_parse(&ops_record_command, argc, argv, &settings, &command);
    return code == EXIT_DONE ? complain_error(start(&settings, &command)) : code;
}

// cmd_time: measures statements, or with "--" whole commands.
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "console/console.h"
#include "statements/statements.h"
#include "time_commands.h"

struct time_arguments {
    struct console_settings settings;
    struct statement_options statement;
    struct words setups, globals;
    int language;
    bool assembly;
};

#define AT(member) offsetof(struct time_arguments, member)
static const struct option time_options[] = {
    {"setup", 's', OPTION_LIST, AT(setups), "CODE",
     .help = "runs first, once in every process; its variables are in scope"},
    {"global", 'g', OPTION_LIST, AT(globals), "CODE",
     .help = "outside the function: includes, types, imports"},
    {"language", 'l', OPTION_CHOICE, AT(language), .choices = statements_languages,
     .help = "of the statements"},
    {"threads", 't', OPTION_COUNT, AT(statement.threads), "N",
     .help = "that the statement may use, for OpenMP and BLAS (1)"},
    {"cc", 0, OPTION_TEXT, AT(statement.cc), "CC", .help = "the compiler (cc, or c++)"},
    {"cflags", 0, OPTION_TEXT, AT(statement.cflags), "FLAGS", .help = "after -O2"},
    {"ldflags", 0, OPTION_TEXT, AT(statement.ldflags), "FLAGS", .help = "for the linker: -lfoo"},
    {"with", 0, OPTION_LIST, AT(statement.recipes), "NAME",
     .help = "a library by name, headers and all: torch, blas, openblas, openmp,\n"
             "threads"},
    {"pkg", 0, OPTION_LIST, AT(statement.packages), "NAME", .help = "flags from pkg-config"},
    {"source", 0, OPTION_LIST, AT(statement.sources), "FILE",
     .help = "compiled along; a single one with its static functions"},
    {"include", 'I', OPTION_LIST, AT(statement.includes), "DIR", .help = "where headers are"},
    {"compile-commands", 0, OPTION_TEXT, AT(statement.compile_commands), "FILE",
     .help = "a project's flags for the first --source"},
    {"sync", 0, OPTION_TEXT, AT(statement.sync), "STMT",
     .help = "after each batch, timed with it: waits for a queue"},
    {"marginal", 0, OPTION_FLAG, AT(statement.marginal),
     .help = "what one more execution costs (always under 10 ns)"},
    {"no-launder", 0, OPTION_FLAG, AT(statement.plain),
     .help = "let the optimiser see all values, and drop the result"},
    {"asm", 0, OPTION_FLAG, AT(assembly), .help = "show the machine code of the loop"},
    {"setup-once", 0, OPTION_FLAG, AT(settings.setup_once), .help = "all epochs in one process"},
    {"fresh", 0, OPTION_FLAG, AT(statement.fresh),
     .help = "a process for each epoch; C and C++ have that anyway"},
    {"python", 0, OPTION_TEXT, AT(statement.python), "EXE",
     .help = "the interpreter ($BILANX_PYTHON, or python3)"},
    {"preload", 0, OPTION_TEXT, AT(statement.preload), "NAMES",
     .help = "Python: import once, then fork; torch and numpy always"},
    {"label", 0, OPTION_TEXT, AT(statement.label), "TEXT",
     .help = "for the records, as are these:"},
    {"sub-label", 0, OPTION_TEXT, AT(statement.sub_label), "TEXT", .help = "..."},
    {"description", 0, OPTION_TEXT, AT(statement.description), "TEXT", .help = "..."},
    {"env", 0, OPTION_TEXT, AT(statement.env), "TEXT", .help = "..."},
    CONSOLE_MEASURING(struct time_arguments, settings),
    CONSOLE_SHOWING(struct time_arguments, settings),
    {0},
};

static char *joined(const struct words *words)
{
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_format(&text, "%s%s", i ? "\n" : "", words->items[i]);
    return words->count ? text_take(&text) : NULL;
}

static void show_assembly(const struct statements *statements)
{
    for (size_t i = 0; i < statements->cases.count; i++) {
        AUTO(text) struct text code = {0};
        if (!statements->items[i].object) {
            if (!statements->cases.items[i].failure)
                printf("%s:\n  (not compiled to machine code)\n", statements->cases.items[i].name);
            continue;
        }
        struct bilanx_error error = statements_disassemble(&statements->items[i], &code);
        printf("%s:\n%s", statements->cases.items[i].name,
               error.status != BILANX_OK ? error.text
               : code.size               ? text_get(&code)
                                         : "  (the compiler left no loop)\n");
    }
}

// A statement that is "-" stands on stdin: the way for one that no command line could hold.
static struct bilanx_error read_stdin(struct words *stmts, struct text *out)
{
    for (size_t i = 0; i < stmts->count; i++) {
        if (strcmp(stmts->items[i], "-") != 0)
            continue;
        if (out->size == 0)
            BILANX_TRY(file_read_fd(STDIN_FILENO, "stdin", out));
        stmts->items[i] = text_get(out);
    }
    return BILANX_SUCCESS;
}

static int measure(struct time_arguments *arguments, struct words *stmts)
{
    AUTO(text) struct text from_stdin = {0};
    struct bilanx_error unread = read_stdin(stmts, &from_stdin);
    if (unread.status != BILANX_OK)
        return command_fail(unread);
    AUTO(statements) struct statements statements = {0};
    interrupt_catch();
    struct bilanx_error error =
        statements_prepare(stmts->items, stmts->count, &arguments->statement, &statements);
    if (error.status != BILANX_OK)
        return command_fail(error);
    if (arguments->assembly)
        show_assembly(&statements);
    arguments->settings.check = statements_check;
    arguments->settings.check_context = &statements;
    return console_measure(&statements.cases, &arguments->settings);
}

static const struct command whole_commands = {
    .name = "time",
    .usage = "[OPTION...] -- COMMAND [ARGUMENT...] [--and COMMAND [ARGUMENT...]]...",
    .summary = "measure whole commands",
    .options = time_commands_options,
    .examples = time_commands_examples,
    .details = time_commands_details,
};

static int run_time(const struct command *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return time_commands(&whole_commands, argc, argv);
    struct time_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE && words.count == 0)
        code = command_fail(bilanx_error_make(
            BILANX_E_USAGE, "time needs a statement ('bilanx help time' shows examples)"));
    AUTO(memory) char *setup = joined(&arguments.setups);
    AUTO(memory) char *global = joined(&arguments.globals);
    arguments.statement.setup = setup;
    arguments.statement.global_setup = global;
    arguments.statement.setup_once = arguments.settings.setup_once;
    arguments.statement.language = statements_languages[arguments.language];
    if (code == EXIT_DONE)
        code = measure(&arguments, &words);
    struct words *lists[] = {&arguments.setups,
                             &arguments.globals,
                             &arguments.statement.sources,
                             &arguments.statement.includes,
                             &arguments.statement.packages,
                             &arguments.statement.recipes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_done(lists[i]);
    return code;
}

static const struct example time_examples[] = {
    {"bilanx time 'x += 1' -s 'volatile long x = 0'", "one statement"},
    {"bilanx time 'sqrt(x)' 'cbrt(x)' -s 'double x = 2'", "two, interleaved"},
    {"bilanx time 'parse(text)' --source parse.c -s 'char *text = ...'", "your own function"},
    {"bilanx time - < long.c", "a statement from stdin"},
    {"bilanx time 'sorted(x)' -l python -s 'x = list(range(100))'", "Python"},
    {"bilanx time 'v.push_back(1)' -l c++ -g '#include <vector>' -s 'std::vector<int> v'", "C++"},
    {0},
};

const struct command cmd_time = {
    .name = "time",
    .usage = "[OPTION...] STMT...",
    .summary = "measure statements in C, C++ and Python, or whole commands",
    .options = time_options,
    .examples = time_examples,
    .details =
        "The value of an expression is kept, and the variables of the setup are unknown to the\n"
        "optimiser, so that nothing is folded away; a statement that is says optimised-away.\n"
        "The usual headers are included. What was compiled is cached.\n",
    .also = &whole_commands,
    .run = run_time,
};

// statement_arguments: options that describe a statement.
#include "statement_arguments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define AT(member) offsetof(struct statement_arguments, member)

const struct option statement_code_options[] = {
    {"setup", 's', OPTION_LIST, AT(setups), "CODE",
     .help = "runs first, once in every process; its variables are in scope"},
    {"global", 'g', OPTION_LIST, AT(globals), "CODE",
     .help = "outside the function: includes, types, imports"},
    {"language", 'l', OPTION_CHOICE, AT(language), .choices = statements_languages,
     .help = "of the statements"},
    {"threads", 't', OPTION_COUNT, AT(options.threads), "N",
     .help = "that the statement may use, for OpenMP and BLAS (1)"},
    {"cc", 0, OPTION_TEXT, AT(options.cc), "CC", .help = "the compiler (cc, or c++)"},
    {"cflags", 0, OPTION_TEXT, AT(options.cflags), "FLAGS", .help = "after -O2"},
    {"ldflags", 0, OPTION_TEXT, AT(options.ldflags), "FLAGS", .help = "for the linker: -lfoo"},
    {"with", 0, OPTION_LIST, AT(options.recipes), "NAME",
     .help = "a library by name, headers and all: torch, blas, openblas,\n"
             "openmp, threads"},
    {"pkg", 0, OPTION_LIST, AT(options.packages), "NAME", .help = "flags from pkg-config"},
    {"source", 0, OPTION_LIST, AT(options.sources), "FILE",
     .help = "compiled along; a single one with its static functions"},
    {"include", 'I', OPTION_LIST, AT(options.includes), "DIR", .help = "where headers are"},
    {"compile-commands", 0, OPTION_TEXT, AT(options.compile_commands), "FILE",
     .help = "a project's flags for the first --source"},
    {"sync", 0, OPTION_TEXT, AT(options.sync), "STMT",
     .help = "after each batch, timed with it: waits for a queue"},
    {"python", 0, OPTION_TEXT, AT(options.python), "EXE",
     .help = "the interpreter ($BILANX_PYTHON, or python3)"},
    {"preload", 0, OPTION_TEXT, AT(options.preload), "NAMES",
     .help = "Python: import once, then fork; torch and numpy always"},
    {"no-launder", 0, OPTION_FLAG, AT(options.plain),
     .help = "let the optimiser know the setup's variables, and drop the result"},
    {0},
};

const struct option statement_layout_options[] = {
    {"layouts", 0, OPTION_COUNT, AT(options.layouts), "K",
     .help = "C and C++: lay the code out in K ways, one drawn per epoch (32);\n"
             "0: only as the linker does it"},
    {0},
};

const struct option statement_name_options[] = {
    {"label", 0, OPTION_TEXT, AT(options.label), "TEXT", .help = "for the records, as are these:"},
    {"sub-label", 0, OPTION_TEXT, AT(options.sub_label), "TEXT", .help = "..."},
    {"description", 0, OPTION_TEXT, AT(options.description), "TEXT", .help = "..."},
    {"env", 0, OPTION_TEXT, AT(options.env), "TEXT", .help = "..."},
    {0},
};

static char *joined(const struct words *words)
{
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_format(&text, "%s%s", i ? "\n" : "", words->items[i]);
    return words->count ? text_take(&text) : NULL;
}

struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts)
{
    arguments->setup = joined(&arguments->setups);
    arguments->global = joined(&arguments->globals);
    arguments->options.setup = arguments->setup;
    arguments->options.global_setup = arguments->global;
    arguments->options.language = statements_languages[arguments->language];
    for (size_t i = 0; i < stmts->count; i++) {
        if (strcmp(stmts->items[i], "-") != 0)
            continue;
        if (arguments->from_stdin.size == 0)
            BILANX_TRY(file_read_fd(STDIN_FILENO, "stdin", &arguments->from_stdin));
        stmts->items[i] = text_get(&arguments->from_stdin);
    }
    return BILANX_SUCCESS;
}

void statement_arguments_done(struct statement_arguments *arguments)
{
    struct words *lists[] = {&arguments->setups,           &arguments->globals,
                             &arguments->options.sources,  &arguments->options.includes,
                             &arguments->options.packages, &arguments->options.recipes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_done(lists[i]);
    free(arguments->setup);
    free(arguments->global);
    text_done(&arguments->from_stdin);
}

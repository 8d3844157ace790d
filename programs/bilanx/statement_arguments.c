// statement_arguments: options that describe a statement.
#include "statement_arguments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define AT(member) offsetof(struct statement_arguments, member)

const struct option statement_code_options[] = {
    {"setup", 's', OPTION_LIST, AT(setups), "CODE",
     .help = "run first, once per process; its variables are in\n"
             "scope"},
    {"global", 'g', OPTION_LIST, AT(globals), "CODE",
     .help = "global code: includes, types, imports"},
    {"language", 'l', OPTION_CHOICE, AT(language), .choices = statements_languages,
     .help = "language of the statements (c, or that of --source)"},
    {"threads", 't', OPTION_COUNT, AT(options.threads), "N", .range = &range_threads,
     .help = "threads for OpenMP and BLAS (1)"},
    {"cc", 0, OPTION_TEXT, AT(options.cc), "CC", .help = "compiler (cc, or c++)"},
    {"cflags", 0, OPTION_TEXT, AT(options.cflags), "FLAGS", .help = "compiler flags, after -O2"},
    {"ldflags", 0, OPTION_TEXT, AT(options.ldflags), "FLAGS",
     .help = "linker flags, such as -lfoo"},
    {"with", 0, OPTION_LIST, AT(options.recipes), "NAME",
     .help = "use a library, with its headers: torch, blas,\n"
             "openblas, openmp, threads"},
    {"pkg", 0, OPTION_LIST, AT(options.packages), "NAME",
     .help = "use a package's flags, from pkg-config"},
    {"source", 0, OPTION_LIST, AT(options.sources), "FILE",
     .help = "compile this too; if there is only one, its static\n"
             "functions can be called"},
    {"include", 'I', OPTION_LIST, AT(options.includes), "DIR", .help = "search for headers here"},
    {"compile-commands", 0, OPTION_TEXT, AT(options.compile_commands), "FILE", .reads = true,
     .help = "compile_commands.json with the flags of the first\n"
             "--source"},
    {"trust-flags", 0, OPTION_FLAG, AT(options.trust_flags),
     .help = "use all flags from --compile-commands, even those\n"
             "that could run programs or write files"},
    {"sync", 0, OPTION_TEXT, AT(options.sync), "STMT",
     .help = "run after each batch, timed with it; for example\n"
             "to wait for a queue"},
    {"python", 0, OPTION_TEXT, AT(options.python), "EXE",
     .help = "Python interpreter ($BILANX_PYTHON, or python3)"},
    {"preload", 0, OPTION_TEXT, AT(options.preload), "NAMES",
     .help = "Python: import these once, then fork (torch and\n"
             "numpy always are)"},
    {"no-launder", 0, OPTION_FLAG, AT(options.plain),
     .help = "let the optimiser see the setup's variables and\n"
             "drop the result"},
    {0},
};

const struct option statement_layout_options[] = {
    {"layouts", 0, OPTION_COUNT, AT(options.layouts), "K",
     .help = "C and C++: use K code layouts, a random one per\n"
             "epoch (32); 0: only the linker's own"},
    {0},
};

const struct option statement_name_options[] = {
    {"label", 0, OPTION_TEXT, AT(options.label), "TEXT",
     .help = "title of a table (stored in the records)"},
    {"name", 'n', OPTION_LIST, AT(options.names), "NAME",
     .help = "name of a statement; once per statement"},
    {"sub-label", 0, OPTION_LIST, AT(options.sub_labels), "TEXT",
     .help = "row in a table; once for all, or once per\n"
             "statement"},
    {"description", 0, OPTION_LIST, AT(options.descriptions), "TEXT",
     .help = "column in a table; given like --sub-label"},
    {"env", 0, OPTION_TEXT, AT(options.env), "TEXT", .help = "name of the environment"},
    {0},
};

static const char *const kinds_of_tensors[] = {"auto", "torch", "numpy", "dlpack", NULL};

const struct option statement_input_options[] = {
    {"inputs", 0, OPTION_TEXT, AT(options.inputs.spec), "SPEC",
     .help = "measure on generated inputs: a file, or one of\n"
             "unary, binary, spectral, sparse_unary,\n"
             "sparse_binary ('bilanx help fuzz')"},
    {"take", 0, OPTION_COUNT, AT(options.inputs.take), "N", .range = &range_repeats,
     .help = "number of samples (5)"},
    {"inputs-seed", 0, OPTION_TEXT, AT(options.inputs.seed), "N",
     .help = "seed of the inputs, instead of the specification's"},
    {"dtype", 0, OPTION_TEXT, AT(options.inputs.dtype), "TYPE",
     .help = "type of all tensors: f32, i64, ..."},
    {"order-by", 0, OPTION_TEXT, AT(options.inputs.order_by), "NAME",
     .help = "order samples by a parameter, or by 'elements'"},
    {"as", 0, OPTION_CHOICE, AT(as), .choices = kinds_of_tensors,
     .help = "Python: the kind of tensors (auto: torch's or\n"
             "numpy's if the setup imports it, or dlpack)"},
    {0},
};

const struct option_rule statement_rules[] = {
    {"trust-flags", RULE_NEEDS, "compile-commands"},
    {"compile-commands", RULE_NEEDS, "source"},
    {0},
};

const struct option_rule statement_input_rules[] = {
    {"take inputs-seed dtype order-by as", RULE_NEEDS, "inputs"},
    {0},
};

// -s 'int x = 1' -s 'int y = 2': each may leave out its last semicolon. That of a line with a
// directive or a comment would be a part of it.
static bool lacks_semicolon(const char *code)
{
    size_t size = strlen(code);
    while (size && strchr(" \t", code[size - 1]))
        size--;
    return size && code[size - 1] != ';' && !strpbrk(code, "#\n") && !strstr(code, "//");
}

static char *joined(const struct words *words, bool as_statements)
{
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++) {
        bool ends = i + 1 == words->count;
        text_add(&text, words->items[i]);
        if (!ends)
            text_add(&text, as_statements && lacks_semicolon(words->items[i]) ? ";\n" : "\n");
    }
    return words->count ? text_take(&text) : NULL;
}

static struct bilanx_error complete_inputs(struct statement_arguments *arguments)
{
    struct samples_request *inputs = &arguments->options.inputs;
    if (arguments->as && !text_equal(arguments->options.language, "python"))
        return bilanx_error_make(BILANX_E_USAGE, "--as only applies to Python");
    inputs->as = arguments->as ? kinds_of_tensors[arguments->as] : NULL;
    return BILANX_SUCCESS;
}

// A text given once applies to all statements.
static struct bilanx_error complete_names(struct statement_options *options, size_t stmt_count)
{
    const struct {
        const char *option;
        struct words *words;
        const char **common;
    } lists[] = {{"name", &options->names, NULL},
                 {"sub-label", &options->sub_labels, &options->sub_label},
                 {"description", &options->descriptions, &options->description}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t count = lists[i].words->count;
        if (count > 1 || !lists[i].common ? count && count != stmt_count : false)
            return bilanx_error_make(
                BILANX_E_USAGE,
                "--%s is given %zu time%s for %zu statement%s: give it %sonce per "
                "statement",
                lists[i].option, count, count == 1 ? "" : "s", stmt_count,
                stmt_count == 1 ? "" : "s", lists[i].common ? "once for all, or " : "");
        if (count == 1 && lists[i].common) {
            *lists[i].common = lists[i].words->items[0];
            lists[i].words->count = 0;
        }
    }
    return BILANX_SUCCESS;
}

// A single source is compiled together with the statement, so it decides the language.
static bool is_cplusplus(const struct words *sources)
{
    static const char *const ends[] = {".cpp", ".cc", ".cxx", ".C"};
    const char *dot = sources->count == 1 ? strrchr(sources->items[0], '.') : NULL;
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts)
{
    arguments->options.language = is_cplusplus(&arguments->options.sources) && !arguments->language
                                      ? "c++"
                                      : statements_languages[arguments->language];
    arguments->setup =
        joined(&arguments->setups, strcmp(arguments->options.language, "python") != 0);
    arguments->global = joined(&arguments->globals, false);
    arguments->options.setup = arguments->setup;
    arguments->options.global_setup = arguments->global;
    for (size_t i = 0; i < stmts->count; i++) {
        if (strcmp(stmts->items[i], "-") != 0)
            continue;
        if (arguments->from_stdin.size == 0)
            BILANX_TRY(file_read_fd(STDIN_FILENO, "stdin", &arguments->from_stdin));
        stmts->items[i] = text_get(&arguments->from_stdin);
    }
    BILANX_TRY(complete_names(&arguments->options, stmts->count));
    return complete_inputs(arguments);
}

void statement_arguments_done(struct statement_arguments *arguments)
{
    struct words *lists[] = {&arguments->setups,
                             &arguments->globals,
                             &arguments->options.sources,
                             &arguments->options.includes,
                             &arguments->options.packages,
                             &arguments->options.recipes,
                             &arguments->options.names,
                             &arguments->options.sub_labels,
                             &arguments->options.descriptions,
                             &arguments->options.setups,
                             &arguments->options.parameters};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_done(lists[i]);
    free(arguments->setup);
    free(arguments->global);
    text_done(&arguments->from_stdin);
}

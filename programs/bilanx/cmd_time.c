// cmd_time: measures statements, or with "--" whole commands.
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "flame_beside.h"
#include "hints.h"
#include "hwcaps_arguments.h"
#include "measure_source.h"
#include "sources/statements/statement_source.h"
#include "statement_arguments.h"
#include "time_commands.h"
#include "time_values.h"

struct time_arguments {
    struct show_settings settings;
    struct statement_arguments code;
    bool assembly, count, fit;
    struct words lists;  // of values for parameters
    struct hwcaps_arguments hwcaps;
    const char *flame;
};

#define AT(member) offsetof(struct time_arguments, member)
static const struct option time_options[] = {
    {.group = statement_code_options, .offset = AT(code)},
    {.group = statement_layout_options, .offset = AT(code)},
    {"marginal", 0, OPTION_FLAG, AT(code.options.marginal),
     .help = "report the cost of one more execution\n"
             "(always done for results under 10 ns)"},
    {"asm", 0, OPTION_FLAG, AT(assembly), .help = "show the machine code of the loop"},
    {"count", 0, OPTION_FLAG, AT(count), .help = "also count instructions ('bilanx help count')"},
    {.group = hwcaps_options, .offset = AT(hwcaps)},
    {.group = flame_beside_options, .offset = AT(flame)},
    {"setup-once", 0, OPTION_FLAG, AT(settings.setup_once),
     .help = "run all epochs in one process"},
    {"fresh", 0, OPTION_FLAG, AT(code.options.fresh),
     .help = "new process per epoch (always so for C and C++)"},
    {.group = statement_input_options, .offset = AT(code)},
    {"parameter-list", 'L', OPTION_LIST, AT(lists), "NAME A,B,...", .values = 2,
     .help = "measure for each value: it replaces {NAME}, or else\n"
             "NAME is a variable; several give every combination"},
    {"fit", 0, OPTION_FLAG, AT(fit), .help = "show how time grows with the inputs' elements"},
    {.group = statement_name_options, .offset = AT(code)},
    {.group = show_measuring_options, .offset = AT(settings)},
    {.group = show_reference_options, .offset = AT(settings)},
    {.group = show_showing_options, .offset = AT(settings)},
    {0},
};

static const struct option_rule time_rules[] = {
    {"hwcaps", RULE_NEEDS, "count"},
    {"fit", RULE_NEEDS, "inputs"},
    {"parameter-list", RULE_EXCLUDES, "inputs sub-label", .why = "its values are the rows"},
    {.group = statement_rules},
    {.group = statement_input_rules},
    {.group = show_rules},
    {.group = show_look_rules},
    {0},
};

// A statement is one piece of code, however many samples it is measured on.
static bool is_shown(const struct statements *statements, size_t at)
{
    const struct statement *items = statements->items;
    for (size_t i = 0; i < at && items[at].object; i++)
        if (text_equal(items[i].object, items[at].object) && items[i].place == items[at].place)
            return true;
    return false;
}

// The code is shown with the results, because a pager behind stdout would mix it with the progress
// bar.
static void add_assembly(const struct statements *statements, struct text *out)
{
    for (size_t i = 0; i < statements->cases.count; i++) {
        const char *name = statements->cases.items[i].name;
        AUTO(text) struct text code = {0};
        if (is_shown(statements, i))
            continue;
        if (!statements->items[i].object) {
            if (!statements->cases.items[i].failure)
                text_format(out, "%s:\n  (not compiled to machine code)\n", name);
            continue;
        }
        struct bilanx_error error = statements_disassemble(&statements->items[i], &code);
        text_format(out, "%s:\n%s", name,
                    error.status != BILANX_OK ? error.text
                    : code.size               ? text_get(&code)
                                              : "  (no loop left after compiling)\n");
    }
}

static void hint_at_failures(const struct source *source)
{
    AUTO(list) struct list given = {0};
    for (size_t i = 0; i < source->cases.count; i++)
        hint_at(&source->cases.items[i].task, source->cases.items[i].failure, &given);
}

// More would bury the table; --reference asks for them all.
enum { MOST_COMPARED = 16 };

static int measure(const struct time_arguments *arguments, const struct words *stmts)
{
    struct statement_options options = arguments->code.options;
    if (arguments->settings.method != SHOW_RIGOROUS)  // one process has one layout
        options.layouts = 0;
    AUTO(source) struct source source = {0};
    struct source_request request = {
        .words = stmts->items, .word_count = stmts->count, .code = &options};
    interrupt_catch();
    AUTO(flame_run) struct flame_run flame = {
        .flame = {.path = arguments->flame, .settings = &arguments->settings}};
    struct bilanx_error error = show_check(&arguments->settings);
    if (error.status == BILANX_OK)
        error = flame_beside_check(&flame.flame);
    if (error.status == BILANX_OK)
        error = source_open(&statement_source, &request, &source);
    if (error.status == BILANX_OK)
        error = source_prepare(&source);
    if (error.status != BILANX_OK)
        return complain_error(error);
    AUTO(text) struct text assembly = {0};
    if (arguments->assembly)
        add_assembly(statement_source_get(&source), &assembly);
    int code = measure_source(&source,
                              &(struct measuring_options){
                                  .settings = arguments->settings,
                                  .count = arguments->count,
                                  .counting = {.hwcaps = arguments->hwcaps.hwcaps},
                                  .tabulated = options.inputs.spec || arguments->lists.count,
                                  .alternatives = stmts->count > 1 && stmts->count <= MOST_COMPARED,
                                  .fit = arguments->fit,
                                  .code = text_get(&assembly),
                                  .flame = &flame});
    hint_at_failures(&source);
    return flame_run_finish(&flame, &source, code);
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
    struct time_arguments arguments = {.code.options.layouts = STATEMENT_LAYOUTS};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE && words.count == 0)
        code = complain_error(
            bilanx_error_make(BILANX_E_USAGE, "time needs a statement (see 'bilanx help time')"));
    if (code == EXIT_DONE)
        code = complain_error(statement_arguments_complete(&arguments.code, &words));
    AUTO(time_values) struct time_values values = {0};
    if (code == EXIT_DONE && arguments.lists.count)
        code = complain_error(
            time_values_expand(&arguments.lists, &arguments.code.options, &words, &values));
    if (code == EXIT_DONE)
        code = complain_error(hwcaps_arguments_complete(&arguments.hwcaps));
    arguments.code.options.setup_once = arguments.settings.setup_once;
    if (code == EXIT_DONE)
        code = measure(&arguments, &words);
    statement_arguments_done(&arguments.code);
    words_done(&arguments.lists);
    return code;
}

static const struct example time_examples[] = {
    {"bilanx time 'x += 1' -s 'volatile long x = 0'", "one statement"},
    {"bilanx time 'sqrt(x)' 'cbrt(x)' -s 'double x = 2'", "two statements, interleaved"},
    {"bilanx time 'parse(text)' --source parse.c -s 'char *text = ...'", "your own function"},
    {"bilanx time - < long.c", "a statement from stdin"},
    {"bilanx time 'sorted(x)' -l python -s 'x = list(range(100))'", "Python"},
    {"bilanx time 'sum(x)' --source sum.c --inputs unary --take 8", "on generated tensors"},
    {"bilanx time 'memset(p, 0, n)' -L n 64,4096 -s 'char *p = malloc(n)'", "by size"},
    {"bilanx time 'v.push_back(1)' -l c++ -s 'std::vector<int> v'", "C++"},
    {0},
};

const struct command cmd_time = {
    .name = "time",
    .usage = "[OPTION...] STMT...",
    .summary = "measure statements in C, C++ and Python, or whole commands",
    .options = time_options,
    .rules = time_rules,
    .examples = time_examples,
    .details = "bilanx keeps the value of an expression and hides the setup's variables from the\n"
               "optimiser at every execution, unless they are const, so nothing is folded or\n"
               "moved out of the loop. If the compiler still removes a statement, its result is\n"
               "marked optimised-away. The usual headers are included; in C++, the headers for\n"
               "the std:: names you use. #include \"...\" searches the current directory and the\n"
               "directory of each --source. Compiled code is cached.\n",
    .also = &whole_commands,
    .run = run_time,
};

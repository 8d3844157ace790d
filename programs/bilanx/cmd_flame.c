// cmd_flame: draws flame graphs. Three steps: parse, obtain stacks, write them (flame_output.c).
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "command.h"
#include "flame_collect.h"
#include "flame_output.h"
#include "profile/stack_files/stack_files.h"
#include "profile/stacks/trees.h"

struct settings {
    struct flame_outputs outputs;
    struct flame_collecting collecting;
    const char *const *command;  // after "--"; NULL: none
    const char *from;
    struct words diff;
    bool normalize, quiet, list;
    struct stack_file_options reading;
    bool annotate;
};

#define AT(member) offsetof(struct settings, member)
static const struct option flame_options[] = {
    {.group = flame_collect_options, .offset = AT(collecting)},
    {"from", 0, OPTION_TEXT, AT(from), "FILE", .reads = true,
     .help = "read stacks from a file; '-' is stdin"},
    {"diff", 0, OPTION_LIST, AT(diff), "A B", .values = 2, .reads = true,
     .help = "compare two files: red where B costs more, blue\n"
             "where it costs less"},
    {"normalize", 0, OPTION_FLAG, AT(normalize),
     .help = "with --diff: compare shares, not amounts"},
    {.group = flame_output_options, .offset = AT(outputs)},
    {"as", 0, OPTION_TEXT, AT(reading.format), "FORMAT",
     .help = "format of the files (default: detected from their\n"
             "content; --list shows all)"},
    {"event", 0, OPTION_TEXT, AT(reading.event), "NAME",
     .help = "event to show, if perf or callgrind recorded several\n"
             "(default: the first, and Ir)"},
    {"pid", 0, OPTION_FLAG, AT(reading.pid), .help = "perf: separate processes"},
    {"tid", 0, OPTION_FLAG, AT(reading.tid), .help = "perf: separate threads"},
    {"addresses", 0, OPTION_FLAG, AT(reading.addresses),
     .help = "perf: show addresses where symbols are unknown"},
    {"annotate", 0, OPTION_FLAG, AT(annotate),
     .help = "perf: append _[k] to kernel frames, _[j] to code\n"
             "compiled at run time, as FlameGraph does"},
    {"list", 0, OPTION_FLAG, AT(list), .help = "list the formats that can be read"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), .help = "no notes"},
    {0},
};

static const struct option_rule flame_rules[] = {
    {"list", RULE_ALLOWS, "quiet", .why = "it lists formats"},
    {"normalize", RULE_NEEDS, "diff"},
    {"diff", RULE_EXCLUDES, "from"},
    {.group = flame_collect_rules},
    {.group = flame_output_rules},
    {0},
};

#define CODE_OPTIONS                                                                            \
    "setup global language threads cc cflags ldflags with pkg source include compile-commands " \
    "trust-flags sync python preload no-launder "
#define FILE_OPTIONS "as event pid tid addresses annotate "

static const struct option_scope of_run = {FILE_OPTIONS "from diff normalize",
                                           "is for files of stacks"};
static const struct option_scope of_command = {CODE_OPTIONS "filter",
                                               "is for statements, suites and programs"};
static const struct option_scope of_counted_command = {
    "number timeout max-memory", "does not apply to a command with --counted: it runs once"};
static const struct option_scope of_statement = {"filter", "is for suites and programs"};
static const struct option_scope of_file = {
    CODE_OPTIONS "filter sampled counted duration rate number hwcaps threads-apart signals timeout "
                 "max-memory",
    "is for what is run, not for a file of stacks"};

static struct bilanx_error read_file(const struct settings *settings, const char *path,
                                     struct stacks **out)
{
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    struct stack_file_options options = settings->reading;
    options.kernel = options.jit = settings->annotate;
    BILANX_TRY(stack_file_read(path, &options, &remarks, &stacks));
    for (size_t i = 0; i < remarks.count && !settings->quiet; i++)
        complain(remarks.items[i]);
    BILANX_TRY(flame_output_focus(&settings->outputs, &stacks));
    *out = TAKE(stacks);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_one(const char *path, const struct stacks *stacks)
{
    if (!stacks->changes)
        return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_INPUT, "'%s' is already a difference: name the files that it was made from", path);
}

static struct bilanx_error compare(const struct settings *settings, struct stacks **out)
{
    const char *const *paths = settings->diff.items;
    AUTO(stacks) struct stacks *a = NULL;
    AUTO(stacks) struct stacks *b = NULL;
    BILANX_TRY(read_file(settings, paths[0], &a));
    BILANX_TRY(check_one(paths[0], a));
    BILANX_TRY(read_file(settings, paths[1], &b));
    BILANX_TRY(check_one(paths[1], b));
    enum stacks_scale scale = settings->normalize                            ? STACKS_NORMALIZED
                              : stacks_have_calls(a) && stacks_have_calls(b) ? STACKS_PER_CALL
                                                                             : STACKS_AS_THEY_ARE;
    BILANX_TRY(stacks_difference(a, b, scale, out));
    (*out)->title =
        mem_format("%s → %s", a->title ? a->title : paths[0], b->title ? b->title : paths[1]);
    if (settings->normalize)
        stacks_remark(*out, "A is scaled to the total of B");
    return BILANX_SUCCESS;
}

static struct bilanx_error find_input(const struct settings *settings, const struct words *words,
                                      const char **out)
{
    bool has_diff = settings->diff.count > 0;
    if ((settings->from != NULL) + (words->count > 0) + has_diff > 1 || words->count > 1 ||
        settings->diff.count > 2)
        return bilanx_error_make(
            BILANX_E_USAGE,
            "flame takes one file, or something to run, or '--diff A B' (--from FILE "
            "is the same as FILE)");
    if (settings->from || has_diff) {
        *out = settings->from;
        return BILANX_SUCCESS;
    }
    if (words->count == 0)
        return bilanx_error_make(
            BILANX_E_USAGE, "flame needs a file of stacks ('-' is stdin), something to run, or "
                            "'--diff A B'; see 'bilanx help flame'");
    *out = words->items[0];
    return BILANX_SUCCESS;
}

// Whether there is something to run, rather than files to read.
static bool collects(const struct settings *settings, const struct words *words)
{
    return settings->command || (words->count && !settings->from && !settings->diff.count &&
                                 flame_collect_takes(words->items[0]));
}

// `bilanx flame 'gzip -k f'` names a program, and `bilanx flame nope` may have been meant as a
// file.
static struct bilanx_error or_something_else(struct bilanx_error error, const struct words *words)
{
    const char *word = words->count == 1 ? words->items[0] : "";
    AUTO(memory) char *first = mem_text_n(word, strcspn(word, " "));
    AUTO(memory) char *program = strpbrk(word, "(){};=\n") ? NULL : file_find_program(first);
    if (error.status != BILANX_OK && program)
        return bilanx_error_make(error.status,
                                 "%s ('%s' is a program: to sample a command, type 'bilanx flame "
                                 "-- %s')",
                                 error.text, first, word);
    size_t plain =
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./");
    if (error.status == BILANX_OK || !*word || word[plain] || access(word, F_OK) == 0)
        return error;
    return bilanx_error_make(error.status, "%s (and there is no file '%s')", error.text, word);
}

// Draws even incomplete samples, after an interruption or a failure.
static struct bilanx_error run_and_draw(struct settings *settings, struct words *words,
                                        bool *failed)
{
    AUTO(stacks) struct stacks *stacks = NULL;
    BILANX_TRY(flame_output_check(&settings->outputs));
    struct bilanx_error error =
        settings->command
            ? flame_collect_command(&settings->collecting, settings->command, &stacks, failed)
            : flame_collect(&settings->collecting, words, &stacks, failed);
    if (!stacks)
        return settings->command ? error : or_something_else(error, words);
    if (!settings->quiet)
        flame_collect_report(NULL, stacks);
    BILANX_TRY(flame_output_focus(&settings->outputs, &stacks));
    BILANX_TRY(flame_output(&settings->outputs, stacks));
    const char *graph = settings->outputs.svg;
    if (graph && strcmp(graph, "-") != 0 && !settings->quiet) {
        AUTO(memory) char *line = mem_format("wrote %s: open it in a browser", graph);
        complain(line);
    }
    return error;
}

static struct bilanx_error draw(const struct settings *settings, const struct words *words)
{
    const char *input = NULL;
    AUTO(stacks) struct stacks *stacks = NULL;
    BILANX_TRY(find_input(settings, words, &input));
    BILANX_TRY(flame_output_check(&settings->outputs));
    if (input)
        BILANX_TRY(read_file(settings, input, &stacks));
    else
        BILANX_TRY(compare(settings, &stacks));
    return flame_output(&settings->outputs, stacks);
}

static int list_formats(void)
{
    AUTO(table) struct table table = {0};
    AUTO(text) struct text out = {0};
    const struct stacks_format *format;
    table_column(&table, "", TABLE_LEFT);
    table_column(&table, "", TABLE_WRAP);
    for (size_t i = 0; (format = stacks_format(i)); i++) {
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%s", format->name);
        table_cell(&table, TABLE_PLAIN, "%s", format->summary);
    }
    table_print(&table, (struct table_look){.width = terminal_width(STDOUT_FILENO)}, &out);
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}

// The number of words before "--", which precedes a command.
static int own_words(int argc, char **argv)
{
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    return own;
}

// Refuses options that what is drawn would ignore.
static struct bilanx_error check_scope(const struct settings *settings, const struct words *words,
                                       int argc, char **argv)
{
    if (!settings->command && !collects(settings, words))
        return options_apply(flame_options, of_file, argc, argv);
    BILANX_TRY(options_apply(flame_options, of_run, argc, argv));
    if (settings->command && settings->collecting.counted)
        BILANX_TRY(options_apply(flame_options, of_counted_command, argc, argv));
    if (settings->command)
        return options_apply(flame_options, of_command, argc, argv);
    return flame_collect_is_statement(words->items[0])
               ? options_apply(flame_options, of_statement, argc, argv)
               : BILANX_SUCCESS;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    bool failed = false;
    int own = own_words(argc, argv);
    int code = command_parse(command, own, argv, &settings, &words);
    if (own < argc)
        settings.command = (const char *const *)argv + own + 1;
    if (code == EXIT_DONE)
        code = complain_error(hwcaps_arguments_complete(&settings.collecting.hwcaps));
    if (code == EXIT_DONE && !settings.list)
        code = complain_error(check_scope(&settings, &words, own, argv));
    if (code == EXIT_DONE && settings.list)
        code = list_formats();
    else if (code == EXIT_DONE && settings.command && (words.count || !*settings.command))
        code = complain_error(bilanx_error_make(
            BILANX_E_USAGE, words.count ? "flame takes one thing: something before '--', or a "
                                          "command after it"
                                        : "no command after '--'"));
    else if (code == EXIT_DONE && collects(&settings, &words))
        code = complain_error(run_and_draw(&settings, &words, &failed));
    else if (code == EXIT_DONE)
        code = complain_error(draw(&settings, &words));
    words_done(&settings.diff);
    statement_arguments_done(&settings.collecting.code);
    return code == EXIT_DONE && failed ? EXIT_FAILED : code;
}

static const struct example flame_examples[] = {
    {"bilanx flame 'parse(text)' --source parse.c -s 'char *text = ...' -o parse.svg",
     "where a statement spends its time"},
    {"bilanx flame 'f(x)' -l python -s 'from m import f, x' -o f.svg",
     "Python and native code in one graph"},
    {"bilanx flame --counted ./bench --filter copy -o copy.svg", "instructions, exactly"},
    {"bilanx flame -o sort.svg -- sort big.txt", "a whole command"},
    {"perf script | bilanx flame - -o perf.svg", "a graph of perf's recording"},
    {"bilanx flame out.folded", "the heaviest part, in the terminal"},
    {"bilanx flame out.folded --focus malloc -o malloc.svg", "who calls malloc"},
    {"bilanx flame --diff old.svg new.svg -o change.svg", "the difference between two graphs"},
    {"bilanx flame profile.json --folded out.folded", "speedscope's format to folded stacks"},
    {0},
};

const struct command cmd_flame = {
    .name = "flame",
    .usage = "[OPTION...] (STMT | SUITE | PROGRAM | FILE | -- COMMAND...)",
    .summary = "draw flame graphs of code, of stored stacks, or of a difference",
    .options = flame_options,
    .rules = flame_rules,
    .examples = flame_examples,
    .details =
        "FILE can be folded stacks (FlameGraph, inferno, py-spy), the text of 'perf script',\n"
        "a callgrind file, speedscope's JSON, a record of bilanx or a graph that bilanx\n"
        "drew; gzipped or not. The formats: docs/formats/stacks.md.\n",
    .run = run,
};

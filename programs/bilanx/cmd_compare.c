// cmd_compare: shows measurements side by side.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "bilanx/compare.h"
#include "bilanx/convert.h"
#include "command.h"
#include "compare_functions.h"
#include "core/show/show_run.h"
#include "results/convert/convert_read.h"

static const char *const style_words[] = {"bilanx", "torch", NULL};

struct settings {
    int style;
    bool functions;
    struct compare_functions_arguments by_function;  // includes the format and colour of both modes
    const char *metric, *ratio, *sort, *from, *colorize;
    struct words columns;
    bool trim, highlight_warnings, transpose, envs, summary, merge, keep_going;
    uint64_t width;
};

#define AT(member) offsetof(struct settings, member)
static const struct option compare_options[] = {
    {"metric", 'm', OPTION_TEXT, AT(metric), "NAME",
     .help = "time (default), cpu, instructions, allocations,\n"
             "bytes-per-second, items-per-second, median, mean,\n"
             "min, stddev, max-rss, or a counter defined by the\n"
             "benchmark"},
    {"column", 0, OPTION_LIST, AT(columns), "NAME",
     .help = "also show this metric beside each value; repeatable"},
    {"ratio", 'r', OPTION_TEXT, AT(ratio), "BASE",
     .help = "divide each cell by BASE: a column, env, row, side\n"
             "or file ('env:gcc' if ambiguous)"},
    {"summary", 0, OPTION_FLAG, AT(summary), .help = "add the geometric mean of each column"},
    {"sort", 0, OPTION_TEXT, AT(sort), "KEY",
     .help = "sort rows by 'name', 'value' or a column;\n"
             "'defined' (default) keeps the order of the records"},
    {"transpose", 0, OPTION_FLAG, AT(transpose), .help = "swap rows and columns"},
    {"envs", 0, OPTION_FLAG, AT(envs), .help = "show environments side by side, as columns"},
    {"merge", 0, OPTION_FLAG, AT(merge), .help = "also merge replicates from different files"},
    {"keep-going", 'k', OPTION_FLAG, AT(keep_going), .help = "skip files that cannot be read"},
    {"functions", 0, OPTION_FLAG, AT(functions),
     .help = "compare two record or callgrind files function by\n"
             "function"},
    {"inclusive", 0, OPTION_FLAG, AT(by_function.inclusive), .help = "functions: include callees"},
    {"standardize", 0, OPTION_FLAG, AT(by_function.standardize),
     .help = "functions: ignore names that differ only by build"},
    {"denoise", 0, OPTION_FLAG, AT(by_function.denoise),
     .help = "functions: drop functions that are known to vary"},
    {"min", 0, OPTION_COUNT, AT(by_function.minimum), "N",
     .help = "functions: only changes of N instructions or more"},
    {"from", 0, OPTION_TEXT, AT(from), "FORMAT",
     .help = "file format (default: detected from the content)"},
    {"format", 0, OPTION_CHOICE, AT(by_function.format), .choices = table_formats,
     .help = "output format"},
    {"csv-safe", 0, OPTION_FLAG, AT(by_function.csv_safe),
     .help = "csv: escape text that a spreadsheet would run as a\n"
             "formula"},
    {"style", 0, OPTION_CHOICE, AT(style), .choices = style_words,
     .help = "torch: print like torch.utils.benchmark.Compare"},
    {"trim", 0, OPTION_FLAG, AT(trim), .help = "torch: round to significant figures"},
    {"colorize", 0, OPTION_PERHAPS, AT(colorize), "columns|rows",
     .help = "torch: colour by the ratio to the best of the\n"
             "column (default) or row"},
    {"highlight-warnings", 0, OPTION_FLAG, AT(highlight_warnings),
     .help = "torch: mark cells with a large interquartile range"},
    {"color", 0, OPTION_CHOICE, AT(by_function.color), .choices = terminal_color_words,
     .help = "colour output (auto: on a terminal)"},
    {"width", 0, OPTION_COUNT, AT(width), "N",
     .help = "split tables wider than N columns (default: the\n"
             "terminal's width, or $COLUMNS)"},
    {0},
};

static const struct option_rule compare_rules[] = {
    {"functions", RULE_ALLOWS,
     "inclusive standardize denoise min format csv-safe color metric=instructions",
     .why = "it compares functions, not cases"},
    {"inclusive standardize denoise min", RULE_NEEDS, "functions"},
    {"trim colorize highlight-warnings", RULE_NEEDS, "style=torch"},
    {"style=torch", RULE_EXCLUDES, "metric ratio summary format column envs sort width",
     .why = "it prints tables of times exactly as torch does"},
    {"style=torch", RULE_EXCLUDES, "color=always", .unless = "colorize",
     .why = "--colorize says what to colour"},
    {"column", RULE_EXCLUDES, "ratio format=csv format=json"},
    {"envs", RULE_EXCLUDES, "transpose sort"},
    {"summary", RULE_EXCLUDES, "format=csv", .why = "CSV has one line per cell"},
    {"color width", RULE_EXCLUDES, "format=csv format=json", .why = "programs read that"},
    {.group = show_look_rules},
    {0},
};

// A file being read. A run writes records as they complete, but they are shown in the order of
// their definition. So they are held back while all of them know their position.
struct reading {
    struct bilanx_compare *compare;
    const char *source;
    bool unplaced;  // one has no position: add records as they come
    struct bilanx_record *records;
    size_t count, room;
};

static int by_place(const void *a, const void *b)
{
    const struct bilanx_record *const *left = a, *const *right = b;
    if ((*left)->place != (*right)->place)
        return (*left)->place < (*right)->place ? -1 : 1;
    return (*left > *right) - (*left < *right);
}

static void add_waiting(struct reading *reading)
{
    AUTO(memory) struct bilanx_record **order = mem_array(struct bilanx_record *, reading->count);
    for (size_t i = 0; i < reading->count; i++)
        order[i] = &reading->records[i];
    if (reading->count && !reading->unplaced)
        qsort(order, reading->count, sizeof *order, by_place);
    for (size_t i = 0; i < reading->count; i++)
        bilanx_compare_add(reading->compare, order[i], reading->source);
    free(reading->records);
    reading->records = NULL;
    reading->count = reading->room = 0;
}

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    struct reading *reading = context;
    if (!record->place && !reading->unplaced) {
        reading->unplaced = true;
        add_waiting(reading);
    }
    if (reading->unplaced) {
        bilanx_compare_add(reading->compare, record, reading->source);
        return BILANX_SUCCESS;
    }
    mem_grow(reading->records, reading->count, &reading->room);
    reading->records[reading->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

// Reads all files. Without --keep-going, stops at the first that cannot be read.
static int read_files(const struct settings *settings, const struct words *words,
                      struct bilanx_compare *compare)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < words->count; i++) {
        struct reading reading = {compare, settings->merge ? NULL : words->items[i]};
        struct bilanx_error error = convert_read(
            words->items[i], settings->from,
            &(struct reader_sink){take, &reading, .cut_short = true, .tell = &complain_tell});
        add_waiting(&reading);
        if (error.status == BILANX_OK)
            continue;
        code = complain_error(error);
        if (!settings->keep_going)
            break;
    }
    return code;
}

// Reading a file twice would make its numbers look more certain than they are.
static struct bilanx_error check_files(const struct words *words)
{
    if (words->count == 0)
        return bilanx_error_make(
            BILANX_E_USAGE, "compare needs record files ('-' is stdin; see 'bilanx help compare')");
    for (size_t i = 0; i < words->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(words->items[i], words->items[j]) == 0)
                return bilanx_error_make(BILANX_E_USAGE, "'%s' is given twice: name each file once",
                                         words->items[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error choose_colors(const struct settings *settings,
                                         struct bilanx_compare_options *options)
{
    const char *by = settings->colorize;
    if (!by) {
        options->color = terminal_color(settings->by_function.color, STDOUT_FILENO);
        return BILANX_SUCCESS;
    }
    if (*by && strcmp(by, "columns") != 0 && strcmp(by, "rows") != 0)
        return bilanx_error_make(BILANX_E_USAGE, "--colorize takes columns or rows, not '%s'", by);
    // An explicit request enables colours even without a terminal, as PyTorch does.
    if (settings->by_function.color != TERMINAL_NEVER)
        options->colorize =
            strcmp(by, "rows") == 0 ? BILANX_COMPARE_BY_ROW : BILANX_COMPARE_BY_COLUMN;
    return BILANX_SUCCESS;
}

static int print(const struct settings *settings, struct bilanx_compare *compare)
{
    AUTO(memory) const char **columns = mem_array(const char *, settings->columns.count + 1);
    if (settings->columns.count)
        memcpy(columns, settings->columns.items, settings->columns.count * sizeof *columns);
    struct bilanx_compare_options options = {
        .format = settings->by_function.format,
        .style = (enum bilanx_compare_style)settings->style,
        .trim = settings->trim,
        .highlight_warnings = settings->highlight_warnings,
        .metric = settings->metric,
        .columns = settings->columns.count ? columns : NULL,
        .ratio = settings->ratio,
        .transpose = settings->transpose,
        .envs = settings->envs,
        .sort = settings->sort,
        .summary = settings->summary,
        .csv_safe = settings->by_function.csv_safe,
        .width = settings->width ? settings->width : terminal_width(STDOUT_FILENO),
    };
    struct bilanx_error error = choose_colors(settings, &options);
    if (error.status == BILANX_OK)
        error = bilanx_compare_print(compare, &options, stdout);
    return complain_error(error);
}

static int compare_files(const struct settings *settings, const struct words *words)
{
    struct bilanx_error error = check_files(words);
    if (error.status != BILANX_OK)
        return complain_error(error);
    if (settings->functions)
        return compare_functions(&settings->by_function, words);
    // Never freed: the process ends here, and giving back a million records takes a second.
    static struct bilanx_compare *compare;
    compare = bilanx_compare_new();
    int code = read_files(settings, words, compare);
    if (code == EXIT_DONE || settings->keep_going) {
        int printed = print(settings, compare);
        code = code == EXIT_DONE ? printed : code;
    }
    return code;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &settings, &words);
    if (code == EXIT_DONE)
        code = compare_files(&settings, &words);
    words_done(&settings.columns);
    return code;
}

static const struct example compare_examples[] = {
    {"bilanx compare before.jsonl after.jsonl", "one column per file"},
    {"bilanx compare before.json after.json --ratio before", "ratio to before"},
    {"bilanx compare runs.jsonl --metric bytes-per-second", "rates instead of times"},
    {"bilanx compare runs.jsonl --format markdown", "for a pull request"},
    {"bilanx compare a.jsonl b.jsonl --functions", "which functions changed"},
    {"bilanx run ./copy -o - -q | bilanx compare -", "straight from a run"},
    {0},
};

const struct command cmd_compare = {
    .name = "compare",
    .only_prints = true,
    .usage = "[OPTION...] FILE...",
    .summary = "show measurements side by side, in tables",
    .options = compare_options,
    .rules = compare_rules,
    .examples = compare_examples,
    .details = "There is one table per label, with a row per threads, env and sub_label and a\n"
               "column per description. In a cell, 1.234(5) us means that the last digit is\n"
               "uncertain by 5, at 95 %. Files can be bilanx records or the output of Google\n"
               "Benchmark, hyperfine, pyperf or Go. Replicates in one file are merged. A case in\n"
               "several files gets a column per file. Details: docs/formats/compare.md.\n",
    .run = run,
};

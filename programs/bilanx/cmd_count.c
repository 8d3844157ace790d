// cmd_count: counts the instructions of statements, or of benchmark programs.
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "cluster_arguments.h"
#include "hints.h"
#include "hwcaps_arguments.h"
#include "measure_source.h"
#include "share_arguments.h"
#include "sources/statements/statement_source.h"
#include "statement_arguments.h"

struct count_arguments {
    struct show_settings settings;
    struct statement_arguments code;
    struct collect_options collect;
    struct hwcaps_arguments hwcaps;
    struct words programs;
    struct share share;
    struct cluster_arguments cluster;
    int argc;  // the whole line, for nodes of a cluster
    char **argv;
    bool inclusive, baseline;
};

#define AT(member) offsetof(struct count_arguments, member)
static const struct option count_options[] = {
    {"number", 0, OPTION_COUNT, AT(collect.number), "N", .help = "iterations per repeat (100)"},
    {"repeats", 0, OPTION_COUNT, AT(collect.repeats), "N", .range = &range_repeats,
     .help = "repeats, counted separately to see if they agree\n"
             "(5)"},
    {"counter", 0, OPTION_CHOICE, AT(collect.counter), .choices = collect_counter_words,
     .help = "callgrind (default): exact, per function, under\n"
             "valgrind; perf: events of the processor and kernel"},
    {.group = hwcaps_options, .offset = AT(hwcaps)},
    {"inclusive", 0, OPTION_FLAG, AT(inclusive),
     .help = "include callees in each function's count"},
    {"baseline", 0, OPTION_FLAG, AT(baseline), .help = "also show the empty loop as a case"},
    {"allocations", 0, OPTION_FLAG, AT(collect.allocations),
     .help = "also count allocations, bytes and peak memory per\n"
             "iteration"},
    {"retain", 0, OPTION_TEXT, AT(collect.retain), "FILE", .writes = "counts",
     .help = "keep callgrind's file of the median repeat\n"
             "(several statements: FILE.1, FILE.2, ...)"},
    {"timeout", 0, OPTION_SECONDS, AT(settings.timeout), "TIME", .range = &range_duration,
     .help = "kill a process silent for this long (300 s)"},
    {"max-memory", 0, OPTION_COUNT, AT(settings.max_memory), "BYTES",
     .help = "memory limit per process (4/5 of free memory)"},
    {.group = statement_code_options, .offset = AT(code)},
    {.group = statement_input_options, .offset = AT(code)},
    {.group = statement_name_options, .offset = AT(code)},
    {"program", 0, OPTION_LIST, AT(programs), "FILE", .reads = true,
     .help = "count the cases of a benchmark program; choose\n"
             "them with:"},
    {.group = show_selection_options, .offset = AT(settings)},
    {"jobs", 0, OPTION_COUNT, AT(collect.jobs), "N",
     .help = "suites, programs: count N cases in parallel (1)"},
    {.group = share_options, .offset = AT(share)},
    {.group = cluster_options, .offset = AT(cluster)},
    {.group = show_showing_options, .offset = AT(settings)},
    {0},
};

static const struct option_rule count_rules[] = {
    {"hwcaps retain inclusive", RULE_EXCLUDES, "counter=perf",
     .why = "perf counts what runs without valgrind, and no functions"},
    {"inclusive", RULE_EXCLUDES, "format=csv format=json", .why = "functions are shown in tables"},
    {.group = statement_rules},
    {.group = statement_input_rules},
    {.group = show_rules},
    {.group = show_look_rules},
    {.group = share_rules},
    {.group = cluster_rules},
    {0},
};

static const struct option_scope count_scopes[] = {
    {"filter list jobs shard cases shard-costs cluster",
     "is for suites and programs, not for statements"},
    {"setup global language sync source include compile-commands trust-flags with pkg no-launder "
     "inputs take inputs-seed dtype order-by as name sub-label description label env baseline",
     "is for statements"},
    {"inclusive", "is for statements and programs: a suite has no tables of functions"},
};

// The empty loop has its own opening words, whatever statement its case was made from.
static void add_baseline(struct statements *statements)
{
    if (!statements->barrier)
        return;
    struct run_case *last = &statements->cases.items[statements->cases.count - 1];
    free(last->open);
    free(last->name);
    last->open = mem_text(statements->barrier);
    last->name = mem_text("(empty loop)");
}

static enum source_purpose purpose_of(const struct count_arguments *arguments)
{
    return arguments->collect.counter == COLLECT_CALLGRIND ? SOURCE_FOR_VALGRIND : SOURCE_FOR_PERF;
}

static int count_on_cluster(const struct count_arguments *arguments, const struct source *source)
{
    struct cluster_request request = {.arguments = &arguments->cluster,
                                      .settings = &arguments->settings,
                                      .options = count_options,
                                      .argc = arguments->argc,
                                      .argv = arguments->argv,
                                      .records = RECORDS_SINGLE,
                                      .portion = &arguments->share.portion,
                                      .counted = true,
                                      .same_source = true};
    return cluster_run_source(&request, source, &arguments->share.costs);
}

static int count_source(const struct count_arguments *arguments, struct source *source)
{
    if (arguments->settings.list)
        return list_source(source);
    if (arguments->cluster.cluster)
        return count_on_cluster(arguments, source);
    bool suite = source->kind == &suite_source;
    return measure_source(source, &(struct measuring_options){.settings = arguments->settings,
                                                              .no_time = true,
                                                              .counting = arguments->collect,
                                                              .compared = suite});
}

// "x.yaml" may be a statement, too, but not if there is such a file, or with a path before it.
static bool names_suite(const char *word)
{
    return source_kind_of(word) == &suite_source && (access(word, F_OK) == 0 || strchr(word, '/'));
}

// Counts the cases of programs or suites.
static int count_files(const struct count_arguments *arguments, const struct source_kind *kind,
                       const struct words *files)
{
    AUTO(source) struct source source = {0};
    const char *filter = arguments->settings.filter;
    struct source_request request = {.words = files->items,
                                     .word_count = files->count,
                                     .purpose = purpose_of(arguments),
                                     .code = &arguments->code.options,
                                     .filter = filter,
                                     .tell = {.line = complain_line}};
    struct bilanx_error error =
        options_apply(count_options, count_scopes[1], arguments->argc, arguments->argv);
    if (error.status == BILANX_OK && kind == &suite_source)
        error = options_apply(count_options, count_scopes[2], arguments->argc, arguments->argv);
    if (error.status == BILANX_OK)
        error = show_check(&arguments->settings);
    if (error.status == BILANX_OK)
        error = source_open(kind, &request, &source);
    if (error.status == BILANX_OK && source.cases.count == 0 && !source.incomplete)
        error = bilanx_error_make(BILANX_E_FAILED,
                                  filter ? "no cases match the filter (--list shows them all)"
                                         : "no benchmarks to measure");
    if (error.status == BILANX_OK && !arguments->cluster.cluster)
        error = share_take(&arguments->share, &source);
    return error.status == BILANX_OK ? count_source(arguments, &source) : complain_error(error);
}

static int count_statements(struct count_arguments *arguments, struct words *stmts)
{
    AUTO(source) struct source source = {0};
    struct bilanx_error error =
        options_apply(count_options, count_scopes[0], arguments->argc, arguments->argv);
    if (error.status == BILANX_OK)
        error = show_check(&arguments->settings);
    if (error.status == BILANX_OK)
        error = statement_arguments_complete(&arguments->code, stmts);
    interrupt_catch();
    if (arguments->baseline) {
        mem_grow(stmts->items, stmts->count, &stmts->room);
        stmts->items[stmts->count++] = "";
    }
    struct source_request request = {.words = stmts->items,
                                     .word_count = stmts->count,
                                     .purpose = purpose_of(arguments),
                                     .code = &arguments->code.options};
    if (error.status == BILANX_OK)
        error = source_open(&statement_source, &request, &source);
    if (error.status == BILANX_OK)
        error = source_prepare(&source);
    if (error.status != BILANX_OK)
        return complain_error(error);
    if (arguments->baseline)
        add_baseline(statement_source_get(&source));
    int code = count_source(arguments, &source);
    AUTO(list) struct list given = {0};
    for (size_t i = 0; i < source.cases.count; i++)
        hint_at(&source.cases.items[i].task, source.cases.items[i].failure, &given);
    return code;
}

static int run_count(const struct command *command, int argc, char **argv)
{
    struct count_arguments arguments = {.argc = argc, .argv = argv};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE)
        code = complain_error(hwcaps_arguments_complete(&arguments.hwcaps));
    arguments.collect.hwcaps = arguments.hwcaps.hwcaps;
    arguments.collect.timeout = arguments.settings.timeout;
    arguments.collect.max_memory = arguments.settings.max_memory;
    arguments.share.costs.counted = true;
    arguments.settings.functions = arguments.inclusive ? SHOW_INCLUSIVE : SHOW_SELF;
    if (code == EXIT_DONE && (words.count == 0) == (arguments.programs.count == 0))
        code = complain_error(
            bilanx_error_make(BILANX_E_USAGE, "count needs statements, or benchmark programs with "
                                              "--program (see 'bilanx help count')"));
    if (code == EXIT_DONE && arguments.collect.retain)
        code = complain_error(
            output_check(arguments.collect.retain, &output_callgrind, OUTPUT_REPLACE));
    if (code == EXIT_DONE)
        code = arguments.programs.count
                   ? count_files(&arguments, &program_source, &arguments.programs)
               : names_suite(words.items[0]) ? count_files(&arguments, &suite_source, &words)
                                             : count_statements(&arguments, &words);
    statement_arguments_done(&arguments.code);
    words_done(&arguments.programs);
    cluster_arguments_done(&arguments.cluster);
    return code;
}

static const struct example count_examples[] = {
    {"bilanx count 'x += 1' -s 'volatile long x = 0'", "instructions of one statement"},
    {"bilanx count 'strlen(s)' 'strdup(s)' -s 'char *s = \"text\"'", "two, by function"},
    {"bilanx count 'free(malloc(n))' -s 'size_t n = 64' --allocations", "and memory"},
    {"bilanx count 'parse(s)' --source parse.c --retain parse.out", "for callgrind_annotate"},
    {"bilanx count --program ./copy", "the cases of a benchmark program"},
    {"bilanx count suite.yaml --filter copy", "cases of a suite"},
    {0},
};

const struct command cmd_count = {
    .name = "count",
    .usage = "[OPTION...] STMT...|SUITE...",
    .summary = "count the instructions of statements, exactly and by function",
    .options = count_options,
    .rules = count_rules,
    .examples = count_examples,
    .details = "Counts cover only the statement's loop, in all threads of the process. 'empty\n"
               "loop' is the cost of the loop without the statement; it is not subtracted.\n"
               "valgrind starts once for all statements. To get times and counts together, use\n"
               "bilanx time --count.\n",
    .run = run_count,
};

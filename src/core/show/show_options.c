// show_options: the options of a run, in groups that commands and benchmark programs include.
#include "show_run.h"

#define AT(member) offsetof(struct show_settings, member)

const struct option show_selection_options[] = {
    {"filter", 0, OPTION_TEXT, AT(filter), "REGEX",
     .help = "measure only cases whose name matches REGEX"},
    {"list", 0, OPTION_FLAG, AT(list), .help = "list the cases; measure nothing"},
    {0},
};

const struct option show_pages_options[] = {
    {"pages", 0, OPTION_CHOICE, AT(pages), .choices = show_pages,
     .help = "draw (default): put the code on fresh physical\n"
             "pages in every process; keep: use the file's pages"},
    {0},
};

const struct option show_core_options[] = {
    {"core", 0, OPTION_CHOICE, AT(core), .choices = show_cores,
     .help = "auto (default): use only batches that had the core\n"
             "to themselves, if there are enough; free: fail if\n"
             "there are not; any: use all batches, even beside a\n"
             "busy neighbour on the core"},
    {"core-wait", 0, OPTION_SECONDS, AT(core_wait), "TIME",
     .help = "how much longer to wait for a free core (default: as\n"
             "long as measuring may take; 60 s with --core free)"},
    {0},
};

const struct option show_measuring_options[] = {
    {"method", 0, OPTION_CHOICE, AT(method), .choices = show_methods,
     .help = "rigorous (default): short batches in fresh\n"
             "processes until the 95 % interval is within .5 %;\n"
             "blocked, adaptive: PyTorch's autorange; timeit:\n"
             "blocks of --number calls; latency: time every call\n"
             "by itself and report percentiles"},
    {"number", 0, OPTION_COUNT, AT(number), "N",
     .help = "calls per batch or block (default: automatic)"},
    {"repeats", 0, OPTION_COUNT, AT(repeats), "N", .range = &range_repeats,
     .help = "timeit: number of blocks; otherwise: measure every\n"
             "case N times"},
    {"min-run-time", 0, OPTION_SECONDS, AT(min_run_time), "TIME",
     .help = "measure each case at least this long"},
    {"max-run-time", 0, OPTION_SECONDS, AT(max_run_time), "TIME", .range = &range_duration,
     .help = "at most this long (rigorous: 1 s, adaptive: 10 s)"},
    {"precision", 0, OPTION_NUMBER, AT(precision), "SHARE", .range = &range_positive,
     .help = "rigorous: stop at this relative half width (.005)"},
    {"threshold", 0, OPTION_NUMBER, AT(threshold), "SHARE",
     .help = "adaptive: stop at this ratio of IQR to median (.1)"},
    {"warmup", 0, OPTION_SECONDS, AT(warmup), "TIME",
     .help = "warm up this long (rigorous: 4 ms per process)"},
    {"timeout", 0, OPTION_SECONDS, AT(timeout), "TIME", .range = &range_duration,
     .help = "kill a process silent for this long (60 s)"},
    {"max-memory", 0, OPTION_COUNT, AT(max_memory), "BYTES",
     .help = "memory limit per process (4/5 of free memory)"},
    {.group = show_core_options},
    {.group = show_pages_options},
    {"seed", 0, OPTION_COUNT, AT(seed), "N", .help = "reuse the same random order and layouts"},
    {0},
};

const struct option show_reference_options[] = {
    {"reference", 0, OPTION_TEXT, AT(reference), "NAME",
     .help = "compare the others with this one (default: the first)"},
    {0},
};

const struct option show_record_options[] = {
    {"json", 'o', OPTION_TEXT, AT(json), "FILE", .writes = "records",
     .help = "write each record to FILE as it completes, one per\n"
             "line; '-' is stdout"},
    {"append", 0, OPTION_FLAG, AT(append), .help = "append to the records in FILE"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), .help = "replace the records in FILE"},
    {"format", 0, OPTION_CHOICE, AT(format), .choices = table_formats, .help = "output format"},
    {0},
};

const struct option show_look_options[] = {
    {"csv-safe", 0, OPTION_FLAG, AT(csv_safe),
     .help = "csv: escape text that a spreadsheet would run as a\n"
             "formula"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), .help = "no progress, no notes"},
    {"color", 0, OPTION_CHOICE, AT(color), .choices = terminal_color_words,
     .help = "colour output (auto: on a terminal)"},
    {0},
};

const struct option show_fact_options[] = {
    {"fact", 0, OPTION_LIST, AT(facts), "KEY=VALUE",
     .help = "store this in the records, besides the commit of the\n"
             "current directory; may be repeated"},
    {0},
};

const struct option show_env_options[] = {
    {"env", 0, OPTION_TEXT, AT(env), "TEXT",
     .help = "name of the environment, for 'bilanx compare'"},
    {0},
};

const struct option show_showing_options[] = {
    {.group = show_record_options},
    {.group = show_fact_options},
    {.group = show_look_options},
    {0},
};

// Google Benchmark's names for the same options. Hidden from help; kept for its users.
static const char *const google_formats[] = {"console", "markdown", "csv", "json", NULL};
static const char *const google_out_formats[] = {"json", "console", "csv", NULL};
const struct option show_google_options[] = {
    {"benchmark_filter", 0, OPTION_TEXT, AT(filter), "REGEX"},
    {"benchmark_list_tests", 0, OPTION_SWITCH, AT(list)},
    {"benchmark_min_time", 0, OPTION_SECONDS, AT(min_run_time), "TIME"},
    {"benchmark_repetitions", 0, OPTION_COUNT, AT(repeats), "N"},
    {"benchmark_out", 0, OPTION_TEXT, AT(json), "FILE"},
    {"benchmark_out_format", 0, OPTION_CHOICE, AT(google.out_format),
     .choices = google_out_formats},
    {"benchmark_format", 0, OPTION_CHOICE, AT(format), .choices = google_formats},
    {"benchmark_report_aggregates_only", 0, OPTION_SWITCH, AT(google.only_aggregates)},
    {"benchmark_display_aggregates_only", 0, OPTION_SWITCH, AT(google.only_aggregates)},
    {"benchmark_counters_tabular", 0, OPTION_SWITCH, AT(google.already)},
    {"benchmark_enable_random_interleaving", 0, OPTION_SWITCH, AT(google.already)},
    {0},
};

const struct option show_options[] = {
    {.group = show_selection_options},
    {.group = show_measuring_options},
    {.group = show_reference_options},
    {.group = show_env_options},
    {.group = show_showing_options},
    {.group = show_google_options},
    {0},
};

const struct option_rule show_look_rules[] = {
    {"csv-safe", RULE_NEEDS, "format=csv"},
    {0},
};

const struct option_rule show_record_rules[] = {
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append overwrite", RULE_NEEDS, "json benchmark_out"},
    {"fact", RULE_NEEDS, "json resume format=json benchmark_out", .why = "it is for records"},
    {"reference", RULE_EXCLUDES, "format=csv format=json format=markdown",
     .why = "the comparison goes below a table"},
    {"layouts", RULE_EXCLUDES, "method=blocked method=adaptive method=timeit method=latency",
     .why = "it has one process, and so one layout"},
    {0},
};

const struct option_rule show_rules[] = {
    {"list", RULE_ALLOWS,
     "filter program shard shard-costs cases tag no-lang backtest suite inp-file op views "
     "max-samples start-idx max-bytes quiet count no-time",
     .why = "nothing is measured"},
    {.group = show_record_rules},
    {0},
};

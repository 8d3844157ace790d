// console_options: the options of a run, in groups that commands and benchmark programs include.
#include "console.h"

#define AT(member) offsetof(struct console_settings, member)

const struct option console_selection_options[] = {
    {"filter", 0, OPTION_TEXT, AT(filter), "REGEX",
     .help = "measure only cases whose name matches"},
    {"list", 0, OPTION_FLAG, AT(list), .help = "name the cases and measure nothing"},
    {0},
};

const struct option console_pages_options[] = {
    {"pages", 0, OPTION_CHOICE, AT(pages), .choices = console_pages,
     .help = "draw (default): fresh physical pages for the code in every\n"
             "process; keep: those that its file has"},
    {0},
};

const struct option console_measuring_options[] = {
    {"method", 0, OPTION_CHOICE, AT(method), .choices = console_methods,
     .help = "rigorous (default): short batches in fresh processes until the\n"
             "95 % interval is within .5 %; blocked and adaptive: PyTorch's\n"
             "autorange; timeit: blocks of --number calls; latency: every\n"
             "call by itself, percentiles"},
    {"number", 0, OPTION_COUNT, AT(number), "N",
     .help = "calls per batch or block (default: found out)"},
    {"repeats", 0, OPTION_COUNT, AT(repeats), "N",
     .help = "timeit: blocks; otherwise measure every case N times"},
    {"min-run-time", 0, OPTION_SECONDS, AT(min_run_time), "TIME",
     .help = "measure a case at least this long"},
    {"max-run-time", 0, OPTION_SECONDS, AT(max_run_time), "TIME",
     .help = "and no longer than this (rigorous: 1 s, adaptive: 10 s)"},
    {"precision", 0, OPTION_NUMBER, AT(precision), "SHARE",
     .help = "rigorous: stop at this half width (.005)"},
    {"threshold", 0, OPTION_NUMBER, AT(threshold), "SHARE",
     .help = "adaptive: stop at this IQR over median (.1)"},
    {"warmup", 0, OPTION_SECONDS, AT(warmup), "TIME",
     .help = "untimed calls first (rigorous: 4 ms per process)"},
    {"timeout", 0, OPTION_SECONDS, AT(timeout), "TIME",
     .help = "how long a process may be silent (60 s)"},
    {"max-memory", 0, OPTION_COUNT, AT(max_memory), "BYTES",
     .help = "what a process may take (default: 4/5 of what is free)"},
    {.group = console_pages_options},
    {"seed", 0, OPTION_COUNT, AT(seed), "N", .help = "repeat the same order and layout draws"},
    {0},
};

const struct option console_record_options[] = {
    {"json", 'o', OPTION_TEXT, AT(json), "FILE",
     .help = "write records, one a line, as they are complete; - is stdout"},
    {"append", 0, OPTION_FLAG, AT(append), .help = "add to the records that FILE holds"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), .help = "replace the records that FILE holds"},
    {"format", 0, OPTION_CHOICE, AT(format), .choices = table_formats,
     .help = "how to print the results"},
    {0},
};

const struct option console_look_options[] = {
    {"csv-safe", 0, OPTION_FLAG, AT(csv_safe),
     .help = "csv: let no text pass for a formula in a spreadsheet"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), .help = "no progress, no notes"},
    {"color", 0, OPTION_CHOICE, AT(color), .choices = terminal_color_words,
     .help = "colour (auto: on a terminal)"},
    {0},
};

const struct option console_showing_options[] = {
    {.group = console_record_options},
    {.group = console_look_options},
    {0},
};

const struct option console_options[] = {
    {.group = console_selection_options},
    {.group = console_measuring_options},
    {.group = console_showing_options},
    {0},
};

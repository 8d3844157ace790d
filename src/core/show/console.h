// console: what a run shows a person: options, progress, tables. Shared by the command `bilanx run`
// and by benchmark programs that run alone, so that both look and behave the same.
//
// The one part of the library that prints: results to stdout, everything else to stderr.
#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include "base/options.h"
#include "base/output.h"
#include "base/table.h"
#include "base/terminal.h"
#include "core/run/run.h"

enum console_exit {
    CONSOLE_DONE = 0,
    CONSOLE_FAILED = 1,
    CONSOLE_USAGE = 2,
    CONSOLE_INTERRUPTED = 130,
};

// The words of --format, for an OPTION_CHOICE.
enum console_format { CONSOLE_TABLE, CONSOLE_MARKDOWN, CONSOLE_CSV, CONSOLE_JSON };
extern const char *const console_format_words[];
enum table_format console_table_format(int format, bool csv_safe, bool color);

// Where records go: the path of -o, or with --format json stdout; NULL for nowhere.
const char *console_records_path(const char *path, int format);

struct console_settings {
    const char *filter;
    bool list, quiet, csv_safe;
    int method, format, color, pages;
    uint64_t number, repeats, seed;
    double min_run_time, max_run_time, warmup, threshold, precision, timeout;
    const char *json;  // a file for the records, "-" for stdout
    uint64_t max_memory;
    bool setup_once;
    bool append, overwrite;  // records that are in the file already
    enum console_functions { CONSOLE_NO_FUNCTIONS, CONSOLE_SELF, CONSOLE_INCLUSIVE } functions;
};

// Rows for tables of options, read into `at`, the struct console_settings in a struct `type`.
#define CONSOLE_AT(type, at, member) offsetof(type, at.member)
#define CONSOLE_SELECTING(type, at)                                 \
    {"filter",    0,                                                \
     OPTION_TEXT, CONSOLE_AT(type, at, filter),                     \
     "REGEX",     .help = "measure only cases whose name matches"}, \
        {"list", 0, OPTION_FLAG, CONSOLE_AT(type, at, list),        \
         .help = "name the cases and measure nothing"}
#define CONSOLE_PAGES(type, at)                                             \
    {"pages",                                                               \
     0,                                                                     \
     OPTION_CHOICE,                                                         \
     CONSOLE_AT(type, at, pages),                                           \
     .choices = console_pages,                                              \
     .help = "draw (default): fresh physical pages for the code in every\n" \
             "process; keep: those that its file has"}
#define CONSOLE_MEASURING(type, at)                                                          \
    {"method",                                                                               \
     0,                                                                                      \
     OPTION_CHOICE,                                                                          \
     CONSOLE_AT(type, at, method),                                                           \
     .choices = console_methods,                                                             \
     .help = "rigorous (default): short batches in fresh processes until the\n"              \
             "95 % interval is within .5 %; blocked and adaptive: PyTorch's\n"               \
             "autorange; timeit: blocks of --number calls; latency: every\n"                 \
             "call by itself, percentiles"},                                                 \
        {"number",     0,                                                                    \
         OPTION_COUNT, CONSOLE_AT(type, at, number),                                         \
         "N",          .help = "calls per batch or block (default: found out)"},             \
        {"repeats",    0,                                                                    \
         OPTION_COUNT, CONSOLE_AT(type, at, repeats),                                        \
         "N",          .help = "timeit: blocks; otherwise measure every case N times"},      \
        {"min-run-time", 0,                                                                  \
         OPTION_SECONDS, CONSOLE_AT(type, at, min_run_time),                                 \
         "TIME",         .help = "measure a case at least this long"},                       \
        {"max-run-time", 0,                                                                  \
         OPTION_SECONDS, CONSOLE_AT(type, at, max_run_time),                                 \
         "TIME",         .help = "and no longer than this (rigorous: 1 s, adaptive: 10 s)"}, \
        {"precision",   0,                                                                   \
         OPTION_NUMBER, CONSOLE_AT(type, at, precision),                                     \
         "SHARE",       .help = "rigorous: stop at this half width (.005)"},                 \
        {"threshold",   0,                                                                   \
         OPTION_NUMBER, CONSOLE_AT(type, at, threshold),                                     \
         "SHARE",       .help = "adaptive: stop at this IQR over median (.1)"},              \
        {"warmup",       0,                                                                  \
         OPTION_SECONDS, CONSOLE_AT(type, at, warmup),                                       \
         "TIME",         .help = "untimed calls first (rigorous: 4 ms per process)"},        \
        {"timeout",      0,                                                                  \
         OPTION_SECONDS, CONSOLE_AT(type, at, timeout),                                      \
         "TIME",         .help = "how long a process may be silent (60 s)"},                 \
        {"max-memory", 0,                                                                    \
         OPTION_COUNT, CONSOLE_AT(type, at, max_memory),                                     \
         "BYTES",      .help = "what a process may take (default: 4/5 of what is free)"},    \
        CONSOLE_PAGES(type, at), {"seed",       0,                                           \
                                  OPTION_COUNT, CONSOLE_AT(type, at, seed),                  \
                                  "N",          .help = "repeat the same order and layout draws"}
#define CONSOLE_SHOWING(type, at)                                                                  \
    {"json",      'o',                                                                             \
     OPTION_TEXT, CONSOLE_AT(type, at, json),                                                      \
     "FILE",      .help = "write records, one a line, as they are complete; - is stdout"},         \
        {"append", 0, OPTION_FLAG, CONSOLE_AT(type, at, append),                                   \
         .help = "add to the records that FILE holds"},                                            \
        {"overwrite", 0, OPTION_FLAG, CONSOLE_AT(type, at, overwrite),                             \
         .help = "replace the records that FILE holds"},                                           \
        {"format",                                                                                 \
         0,                                                                                        \
         OPTION_CHOICE,                                                                            \
         CONSOLE_AT(type, at, format),                                                             \
         .choices = console_format_words,                                                          \
         .help = "how to print the results"},                                                      \
        {"csv-safe", 0, OPTION_FLAG, CONSOLE_AT(type, at, csv_safe),                               \
         .help = "csv: let no text pass for a formula in a spreadsheet"},                          \
        {"quiet", 'q', OPTION_FLAG, CONSOLE_AT(type, at, quiet), .help = "no progress, no notes"}, \
        {"color",                                                                                  \
         0,                                                                                        \
         OPTION_CHOICE,                                                                            \
         CONSOLE_AT(type, at, color),                                                              \
         .choices = terminal_color_words,                                                          \
         .help = "colour (auto: on a terminal)"}
extern const char *const console_methods[];
enum { CONSOLE_RIGOROUS };  // the first of them, and the only one of several processes
extern const char *const console_pages[];

// What contradicts itself, cannot end in time or has nowhere to go, said before anything runs.
struct bilanx_error console_check(const struct console_settings *settings);
enum output_mode console_output_mode(const struct console_settings *settings);

// Lets the processes to come know what --pages says.
void console_choose_pages(const struct console_settings *settings);

struct console_program {  // what console_options are read into
    struct console_settings settings;
};
extern const struct option console_options[];

// Measures the cases of the subjects by the settings. Returns the exit status.
int console_run(const struct run_subject *subjects, size_t count,
                const struct console_settings *settings);

// What the settings say about measuring.
struct run_options console_run_options(const struct console_settings *settings);

// Measures cases that are known already, and shows what comes of it.
int console_measure(const struct run_cases *cases, const struct console_settings *settings,
                    const struct run_options *options);

// Prints a line on stderr as "bilanx: text"; the second one what an error says, and returns the
// exit status that it calls for.
void console_complain(const char *text);
int console_fail(struct bilanx_error error);

// The whole of a benchmark program's main().
int console_main(int argc, char **argv, const struct run_subject *self);

#endif

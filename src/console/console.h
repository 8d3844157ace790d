// console: what a run shows a person: options, progress, tables. Shared by the command `bilanx run`
// and by benchmark programs that run alone, so that both look and behave the same.
//
// The one part of the library that prints: results to stdout, everything else to stderr.
#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include "base/options.h"
#include "base/table.h"
#include "run/run.h"

enum console_exit {
    CONSOLE_DONE = 0,
    CONSOLE_FAILED = 1,
    CONSOLE_USAGE = 2,
    CONSOLE_INTERRUPTED = 130,
};

// The words of --format, for an OPTION_CHOICE.
enum console_format { CONSOLE_TABLE, CONSOLE_MARKDOWN, CONSOLE_CSV, CONSOLE_JSON };
extern const char *const console_format_words[];
enum table_format console_table_format(int format, bool color);

// Where records go: the path of -o, or with --format json stdout; NULL for nowhere.
const char *console_records_path(const char *path, int format);

struct console_settings {
    const char *filter;
    bool list, quiet;
    int method, format, color;
    uint64_t number, repeats, seed;
    double min_run_time, max_run_time, warmup, threshold, precision, timeout;
    const char *json;  // a file for the records, "-" for stdout
};

extern const struct option console_options[];  // into a struct console_settings

// Measures the cases of the subjects by the settings. Returns the exit status.
int console_run(const struct run_subject *subjects, size_t count,
                const struct console_settings *settings);

// The same for benchmark programs, each to be executed.
int console_run_programs(const char *const *paths, size_t count,
                         const struct console_settings *settings);

// The whole of a benchmark program's main().
int console_main(int argc, char **argv, const struct run_subject *self);

#endif

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

struct console_settings {
    const char *filter;
    bool list, quiet, csv_safe;
    enum bilanx_output_format format;
    int method, color, pages;
    uint64_t number, repeats, seed;
    double min_run_time, max_run_time, warmup, threshold, precision, timeout;
    const char *json;  // a file for the records, "-" for stdout
    uint64_t max_memory;
    bool setup_once;
    bool append, overwrite;  // records that are in the file already
    enum console_functions { CONSOLE_NO_FUNCTIONS, CONSOLE_SELF, CONSOLE_INCLUSIVE } functions;
};

// Groups of options for a struct console_settings.
extern const struct option console_selection_options[];  // --filter, --list
extern const struct option console_pages_options[];      // --pages
extern const struct option console_measuring_options[];  // the method and its limits, --pages
extern const struct option console_record_options[];     // -o and its mode, --format
extern const struct option console_look_options[];       // --csv-safe, --quiet, --color
extern const struct option console_showing_options[];    // those two
extern const struct option console_options[];            // all of them
extern const char *const console_methods[];
enum { CONSOLE_RIGOROUS };  // the first of them, and the only one of several processes
extern const char *const console_pages[];

// What contradicts itself, cannot end in time or has nowhere to go, said before anything runs.
struct bilanx_error console_check(const struct console_settings *settings);
enum output_mode console_output_mode(const struct console_settings *settings);

// Where records go: the path of -o, or with --format json stdout; NULL for nowhere.
const char *console_records_path(const struct console_settings *settings);

// How tables look on stdout.
struct table_look console_look(const struct console_settings *settings);

// Lets the processes to come know what --pages says.
void console_choose_pages(const struct console_settings *settings);

// Measures the cases of the subjects by the settings. Returns the exit status.
int console_run(const struct run_subject *subjects, size_t count,
                const struct console_settings *settings);

// What the settings say about measuring.
struct run_options console_run_options(const struct console_settings *settings);

// Measures cases that are known already, and shows what comes of it.
int console_measure(const struct run_cases *cases, const struct console_settings *settings,
                    const struct run_options *options);

// The whole of a benchmark program's main().
int console_main(int argc, char **argv, const struct run_subject *self);

#endif

// show_run: user interface of a run: options, progress, tables. Shared by `bilanx run` and by
// benchmark programs that run alone, so that both look and behave the same.
//
// This is the only part of the library that prints: results to stdout, everything else to stderr.
#ifndef SHOW_SHOW_RUN_H
#define SHOW_SHOW_RUN_H

#include "base/options.h"
#include "base/output.h"
#include "base/table.h"
#include "base/terminal.h"
#include "core/run/run.h"

struct show_settings {
    const char *filter;
    bool list, quiet, csv_safe;
    enum bilanx_output_format format;
    int method, color, pages;
    int core;  // enum run_core
    double core_wait;
    uint64_t number, repeats, seed;
    double min_run_time, max_run_time, warmup, threshold, precision, timeout;
    const char *json;       // file for the records, "-" for stdout
    const char *reference;  // the others are compared with this one; NULL: the first
    struct words facts;     // "KEY=VALUE", to store in the records
    const char *env;        // of records whose task has none
    uint64_t max_memory;
    bool setup_once;
    bool append, overwrite;  // what to do if the file already has records
    struct {                 // options of Google Benchmark that have no counterpart
        enum { SHOW_GOOGLE_JSON, SHOW_GOOGLE_CONSOLE, SHOW_GOOGLE_CSV } out_format;
        bool only_aggregates;
        bool already;  // requests the default behaviour
    } google;
    enum show_functions { SHOW_NO_FUNCTIONS, SHOW_SELF, SHOW_INCLUSIVE } functions;
};

// Groups of options for a struct show_settings.
extern const struct option show_selection_options[];  // --filter, --list
extern const struct option show_core_options[];       // --core, --core-wait
extern const struct option show_pages_options[];      // --pages
extern const struct option show_measuring_options[];  // the method and its limits, --pages
extern const struct option show_reference_options[];  // --reference
extern const struct option show_record_options[];     // -o and its mode, --format
extern const struct option show_fact_options[];       // --fact
extern const struct option show_env_options[];        // --env, where no other option sets it
extern const struct option show_look_options[];       // --csv-safe, --quiet, --color
extern const struct option show_showing_options[];    // the above, but for --env
extern const struct option show_google_options[];     // Google Benchmark's names for some of these
extern const struct option show_options[];            // all of them
extern const struct option_rule show_rules[];  // for those that measure, record and list cases
extern const struct option_rule
    show_record_rules[];                            // the same, for those with a list of their own
extern const struct option_rule show_look_rules[];  // for --csv-safe, where it is about stdout
extern const char *const show_methods[];
enum { SHOW_RIGOROUS };  // the first of them, and the only one that uses several processes
extern const char *const show_pages[];
extern const char *const show_cores[];  // indexed by enum run_core

// Rejects settings that contradict each other, cannot finish in time or cannot be written, before
// anything runs.
struct bilanx_error show_check(const struct show_settings *settings);
enum output_mode show_output_mode(const struct show_settings *settings);

// Returns where records go: the path of -o, or stdout with --format json; NULL for none.
const char *show_records_path(const struct show_settings *settings);

// Returns how tables look on stdout.
struct table_look show_look(const struct show_settings *settings);

// Passes the --pages setting on to processes started from now on.
void show_choose_pages(const struct show_settings *settings);

// Measures the cases of the subjects according to the settings. Returns the exit status.
int show_run(const struct run_subject *subjects, size_t count,
             const struct show_settings *settings);

// Returns the options for measuring.
struct run_options show_run_options(const struct show_settings *settings);

// Measures the given cases and shows the results. Returns the exit status.
int show_measure(const struct run_cases *cases, const struct show_settings *settings,
                 const struct run_options *options);

// The whole main() of a benchmark program.
int show_main(int argc, char **argv, const struct run_subject *self);

#endif

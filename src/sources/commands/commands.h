// commands: measures whole commands, from the command line to records.
//
// Each run is one call. A round runs every unfinished command once, in random order. A slow moment
// of the machine then affects all commands alike and does not look like a difference, and the ratio
// of two commands can be computed from pairs of neighbouring runs.
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "core/run/run.h"
#include "core/timer/pace.h"
#include "sources/commands/parameters.h"

struct commands_template {  // as typed, before parameters are substituted; NULL: none
    const char *const *words;
    size_t count;
    const char *name;
    const char *setup;    // command to run before all runs
    const char *prepare;  // before each run
    const char *cleanup;  // after all runs
};

enum commands_order {
    COMMANDS_AUTO,  // interleaved, unless setups differ and might undo each other
    COMMANDS_INTERLEAVED,
    COMMANDS_SEQUENTIAL,  // all runs of one command before the next
};

enum commands_output {
    COMMANDS_SWALLOWED,  // stdout is discarded; the end of stderr is kept in case of failure
    COMMANDS_SHOWN,      // on our stderr
    COMMANDS_TO_FILE,    // stdout, overwritten by each run
};

struct commands_options {  // zero means the default
    const char *shell;     // run as SHELL -c for commands and hooks; NULL: none
    const char *label, *sub_label, *description, *env;
    const char *input;        // file; NULL: empty
    const char *output_file;  // for COMMANDS_TO_FILE
    enum commands_output output;
    enum commands_order order;
    bool ignore_failure;
    uint64_t warmup;                    // untimed runs of each command
    uint64_t runs, min_runs, max_runs;  // runs: exact number; min_runs: 10; max_runs: unlimited
    double min_run_time, max_run_time;  // seconds; 1 and 3, but min_runs takes precedence
    double precision;                   // relative, of the median; .005
    double timeout;                     // seconds per run; one hour
    uint64_t seed;                      // 0: random
};

struct commands_hook {
    char *text;  // for display; NULL: none
    struct list argv;
};

struct commands_run {  // seconds
    double wall, user, system;
    uint64_t round;
};

struct commands_item {         // a command to run: a template with one set of values
    struct run_case measured;  // its name, task and numeric parameters
    size_t template_index;
    struct list argv;
    struct commands_hook setup, prepare, cleanup;
    struct commands_run *runs;
    size_t run_count, run_room;
    double spent;    // seconds, including prepare hooks
    double max_rss;  // bytes; 0: too small to measure
    bool done;
    struct bilanx_record record;  // valid once done; kind NULL: no record
    // used by the rounds
    char *program;          // resolved path
    struct pace *readings;  // of the core's pace, before and after each run
    size_t reading_count, reading_room;
    bool setup_started;
    size_t next_look;  // run count at which to check the precision again
    bool precise;
    struct exit_count {  // nonzero exits
        int status;
        uint64_t count;
    } *exits;
    size_t exit_count, exit_room;
};

struct commands {
    struct commands_item *items;
    size_t count, room;
    bool interleaved;
    size_t reference;      // the item that all others are compared with, from 1; 0: see below
    double least_max_rss;  // bytes: peak memory below this cannot be measured
    char *cleanup_error;   // the first failed cleanup; NULL: none
};
void commands_done(struct commands *commands);
SCOPE_VALUE(commands, commands_done)

// Substitutes parameters into the templates. Each template yields one item per combination of the
// parameters that it uses.
struct bilanx_error commands_expand(const struct commands_template *templates, size_t count,
                                    const struct parameters *parameters,
                                    const struct commands_options *options, struct commands *out);

struct commands_observer {
    void *context;
    void (*working)(void *context, const struct commands_item *item, double items_done);
    void (*finished)(void *context, const struct commands_item *item);  // its record is complete
};

// Measures every item. A failed item gets a record of kind "failure". Only ^C is an error; items
// measured by then still have their records.
struct bilanx_error commands_measure(struct commands *commands,
                                     const struct commands_options *options,
                                     const struct commands_observer *observer);

// The item that `item` is compared with: the one of the first command with the same parameters, or
// else the first item. NULL: none.
// Unless commands_refer() chose another one.
const struct commands_item *commands_reference(const struct commands *commands,
                                               const struct commands_item *item);

// Compares all items with the one of this name.
struct bilanx_error commands_refer(struct commands *commands, const char *name);

#endif

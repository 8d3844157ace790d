// commands: whole commands, from what was typed to records.
//
// Each run is one call. A round is one run of every command that is not done yet, in an order of
// its own, so that a slow moment of the machine is shared by all and does not pass for a
// difference; and so that the ratio of two commands can be judged from pairs of runs side by side.
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "core/run/run.h"
#include "sources/commands/parameters.h"

struct commands_template {  // as typed, before parameters are filled in; NULL: none
    const char *const *words;
    size_t count;
    const char *name;
    const char *setup;    // a command that runs before all runs
    const char *prepare;  // before each run
    const char *cleanup;  // after all runs
};

enum commands_order {
    COMMANDS_AUTO,  // interleaved, unless their setups differ and may undo each other
    COMMANDS_INTERLEAVED,
    COMMANDS_SEQUENTIAL,  // all runs of a command before the next
};

enum commands_output {
    COMMANDS_SWALLOWED,  // stdout is lost, of stderr the end is kept for when it fails
    COMMANDS_SHOWN,      // on our stderr
    COMMANDS_TO_FILE,    // stdout, each run anew
};

struct commands_options {  // zero means the default
    const char *shell;     // reads commands and hooks as its -c; NULL: none
    const char *label, *sub_label, *description, *env;
    const char *input;        // a file; NULL: nothing
    const char *output_file;  // for COMMANDS_TO_FILE
    enum commands_output output;
    enum commands_order order;
    bool ignore_failure;
    uint64_t warmup;                    // runs of each command that do not count
    uint64_t runs, min_runs, max_runs;  // runs: exactly; min_runs: 10; max_runs: no limit
    double min_run_time, max_run_time;  // seconds; 1 and 3, but min_runs win
    double precision;                   // of the median, relative; .005
    double timeout;                     // seconds for one run; an hour
    uint64_t seed;                      // 0: a fresh one
};

struct commands_hook {
    char *text;  // for people; NULL: none
    struct list argv;
};

struct commands_run {  // seconds
    double wall, user, system;
    uint64_t round;
};

struct commands_item {         // a command to run: a template with a choice of values
    struct run_case measured;  // its name, task and numeric parameters
    size_t template_index;
    struct list argv;
    struct commands_hook setup, prepare, cleanup;
    struct commands_run *runs;
    size_t run_count, run_room;
    double spent;    // seconds, preparing included
    double max_rss;  // bytes; 0: less than what can be told
    bool done;
    struct bilanx_record record;  // once it is done; its kind is NULL when there is nothing
    // for the rounds
    char *program;  // where it was found
    bool setup_started;
    size_t next_look;  // at how many runs the precision is looked at again
    bool precise;
    struct exit_count {  // how its runs ended, where that was not with 0
        int status;
        uint64_t count;
    } *exits;
    size_t exit_count, exit_room;
};

struct commands {
    struct commands_item *items;
    size_t count, room;
    bool interleaved;
    double least_max_rss;  // bytes: what a command's peak memory cannot be told from
    char *cleanup_error;   // the first cleanup that failed; NULL: none did
};
void commands_done(struct commands *commands);
SCOPE_VALUE(commands, commands_done)

// Fills the parameters into the templates. Each template is taken for every choice of the values
// that it uses.
struct bilanx_error commands_expand(const struct commands_template *templates, size_t count,
                                    const struct parameters *parameters,
                                    const struct commands_options *options, struct commands *out);

struct commands_observer {
    void *context;
    void (*working)(void *context, const struct commands_item *item, double items_done);
    void (*finished)(void *context, const struct commands_item *item);  // its record is complete
};

// Measures every item. One that fails is a record of kind "failure"; only ^C is an error, after
// which what was measured has its record all the same.
struct bilanx_error commands_measure(struct commands *commands,
                                     const struct commands_options *options,
                                     const struct commands_observer *observer);

// The item that another is compared with: with equal parameters of the first command, or the first
// of all; NULL when there is none.
const struct commands_item *commands_reference(const struct commands *commands,
                                               const struct commands_item *item);

#endif

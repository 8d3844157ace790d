// record: a result as plain data. docs/formats/record.md describes its JSON form.
//
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_record_read_file("runs.jsonl", &records, &count));
//     for (size_t i = 0; i < count; i++) {
//         if (!records[i].error)
//             printf("%s: %g s\n", records[i].task.label, records[i].stats.estimate);
//         bilanx_record_done(&records[i]);
//     }
//     free(records);
//
// A zeroed struct is an empty record. Strings are heap-allocated, or NULL if absent; the record
// owns them, and bilanx_record_done() frees them. An absent number is 0, or NaN where 0 is a valid
// value: in `stats`, epochs and latency. `extra` members hold the keys that this version does not
// know, as the text of a JSON object.
#ifndef BILANX_RECORD_H
#define BILANX_RECORD_H

#include <stdio.h>

#include "bilanx/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_compile {
    char *cc, *flags;
    char *launder;  // "each": inputs are made unknown before each execution; "none"; NULL: unknown
    char *extra;
};

struct bilanx_task {
    char *stmt, *setup, *global_setup, *language;
    char *label, *sub_label, *description, *env;
    uint64_t num_threads;
    struct bilanx_compile *compile;  // NULL: absent
    char *parameters;                // a JSON object
    char *command;                   // a JSON object: how a command is run
    char *extra;
};

struct bilanx_rates {  // per call, summed over threads
    double bytes, items;
    char *extra;
};

struct bilanx_ratio {  // ratio of its time to another's, from runs side by side
    char *to;          // name of the other
    double estimate;
    double ci95[2];
    uint64_t pairs;
    char *extra;
};

struct bilanx_overhead {  // its time minus another's, from epochs in which they took turns
    char *to;             // name of the other
    double estimate;      // seconds per call; NaN: absent
    double ci95[2];
    uint64_t epochs;
    char *extra;
};

struct bilanx_expected {  // what is expected of the case
    char *says;           // in words
    char *of;             // "time" or "overhead", as above
    double low, high;     // seconds per call; NaN: no limit
    char *met;            // "yes", "no", "perhaps"; NULL: not measured
    char *extra;
};

// One function's share of the instructions in a repeat.
struct bilanx_function {
    char *file, *function, *object;
    double self, inclusive;
    char *extra;
};

struct bilanx_allocations {  // per iteration
    double count, bytes;
    double peak;  // most bytes held at once, beyond those held before
    char *extra;
};

// Instructions of the statement's loop. All counts are for one repeat of `number` iterations.
struct bilanx_counts {
    char *counter;        // "callgrind", "perf"
    char *hwcaps;         // which variants of glibc's functions: "x86-64-v2", ...; NULL: "native"
    uint64_t number;      // iterations per repeat
    double instructions;  // median over repeats
    double per_iteration;
    double baseline;  // the same number of iterations of the empty loop; never subtracted
    double *repeats;  // instructions of each repeat
    size_t repeat_count;
    char *events;                       // a JSON object: other events of the counter, by name
    struct bilanx_function *functions;  // of the median repeat; the sum of `self` is its total
    size_t function_count;
    struct bilanx_allocations *allocations;  // NULL: not requested
    char *extra;
};

// Result of comparing two sides. In JSON, these keys are part of the record itself.
struct bilanx_verdict {
    char *verdict;  // "faster", "slower", "same", "undecided", "harness-biased", ...
    char *reason;
    char *baseline;      // the side it was compared with
    double change;       // relative to the baseline: .01 is 1 % more; NaN: not measured
    double interval[2];  // confidence interval of the change; NaN: not known yet
    double p;            // smallest error rate at which this counts as a change
    double detectable;   // smallest change that would have been detected; NaN: decided
    double times[2];     // seconds per call, of baseline and side; 0: not timed
    double *changes;     // ln(side / baseline) for each epoch
    size_t change_count;
    double *layouts;  // ln(side / baseline) for each layout of the code; see docs/formats/record.md
    size_t layout_count;
    char *extra;
};

struct bilanx_stack_frame {
    char *name, *file, *object;
    char *kind;  // "native", "inlined", "python", "kernel", "thread", "jit", "cut", "small"
    char *extra;
};

// Weighted call stacks, as a tree. Nodes are numbered from 1, parents before children; 0 is the
// root. The array members are parallel, one element per node.
struct bilanx_stacks {
    char *unit;           // of the weights: "samples", "instructions", "nanoseconds", ...
    char *title;          // what was measured, if the task does not say it
    char *note;           // remarks for the user
    double calls;         // executions of the statement that the weights belong to
    double seconds;       // measured time that they belong to
    double lost;          // samples that could not be recorded
    double overhead;      // by how much sampling increased the time: .02 is 2 %
    double time;          // seconds per call by a measurement; graphs are scaled to this
    double *epoch_calls;  // of each epoch in which samples were taken
    size_t epoch_call_count;
    double *epoch_seconds;  // the same, of the measured time
    size_t epoch_second_count;
    struct bilanx_stack_frame *frames;
    size_t frame_count;
    uint64_t *node_frames;  // index of its frame
    size_t node_frame_count;
    uint64_t *node_parents;
    size_t node_parent_count;
    double *node_weights;  // of the stacks that end there
    size_t node_weight_count;
    double *node_before;  // in a difference: the same for the first side
    size_t node_before_count;
    char *extra;
};

// The other hardware thread of the core, during a measurement or comparison.
struct bilanx_neighbour {
    double free;         // share of the time in which the core was free
    double time;         // seconds per call in the other state than the record's; NaN: not seen
    double change;       // for a verdict: its change in the other state; NaN: not known
    double interval[2];  // confidence interval of that change
    uint64_t epochs;     // measured in the other state
    char *extra;
};

struct bilanx_warning {
    char *code, *text;
    char *extra;
};

struct bilanx_failure {
    char *code;   // "crashed", "timed-out", "exited", "failed", "skipped", ...
    char *phase;  // "start", "setup", "stmt", ...
    char *text;
    char *output;  // the last part of the process's output
    char *extra;
};

struct bilanx_record {
    char *kind;  // "measurement", "counts" (without times), "stacks", "verdict", "failure", ...
    struct bilanx_task task;
    char *side;
    struct bilanx_timing timing;
    char *core;  // state of the core: "free", "shared" or "unknown"; NULL: not measured
    struct bilanx_neighbour *neighbour;  // NULL: unknown
    struct bilanx_stats stats;           // recomputed when read
    struct bilanx_ratio *ratio;
    struct bilanx_overhead *overhead_of;
    struct bilanx_expected *expected;
    struct bilanx_rates *rates;
    struct bilanx_counts *counts;
    struct bilanx_stacks *stacks;
    struct bilanx_verdict *verdict;  // NULL: no comparison
    char *counters;                  // a JSON object that maps names to numbers
    char *remark;                    // what the benchmark says about itself
    char *unit;                      // "us": of times in tables; NULL: as they need
    double max_rss;                  // bytes
    double elapsed;                  // seconds, everything included
    uint64_t place;                  // position of the case in the run, from 1; 0: unknown
    uint64_t attempts;
    uint64_t pages;    // epochs or processes whose code got fresh physical pages
    uint64_t redrawn;  // epochs dropped: the core was shared, or the machine changed during them
    uint64_t setups;   // number of processes, if setup takes so long that there are only a few
    uint64_t forks;    // epochs that ran in a fork of a loaded process: only stack and heap vary
    uint64_t zygotes;  // number of such processes; all addresses vary from one to the next
    struct bilanx_warning *warnings;
    size_t warning_count;
    char *machine, *git, *facts;  // JSON objects
    struct bilanx_failure *error;
    char *extra;
};

BILANX_API void bilanx_record_done(struct bilanx_record *record);

// Returns one line of JSON without a newline; the caller frees it.
BILANX_API char *bilanx_record_json(const struct bilanx_record *record);

// Returns whether two records are replicates: the whole task and the side are equal.
BILANX_API bool bilanx_record_replicates(const struct bilanx_record *a,
                                         const struct bilanx_record *b);

// Merges replicates into the first of each: times are put side by side, with number_per_run 1.
// Records of other kinds are left alone. Works in place and returns the number of records left.
BILANX_API size_t bilanx_record_merge(struct bilanx_record *records, size_t count);

// Reads a file of records, one JSON object per line; "-" is stdin. Errors name the file and line,
// and how to save what is intact if the file is damaged. The caller calls bilanx_record_done() on
// each record and frees the array.
BILANX_API struct bilanx_error bilanx_record_read_file(const char *path, struct bilanx_record **out,
                                                       size_t *count);

// Reads one record from `size` bytes of JSON. Error texts start with `where`.
BILANX_API struct bilanx_error bilanx_record_read(const char *json, size_t size, const char *where,
                                                  struct bilanx_record *out);

#ifdef __cplusplus
}
#endif

#endif

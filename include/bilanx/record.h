// record: what was measured, as plain data; docs/formats/record.md describes its JSON.
//
// A struct of zeroes is an empty record. Texts are heap strings or NULL for absent; they belong to
// the record, which bilanx_record_done() ends. Numbers that are absent are 0, or NaN where 0 is a
// value: in `stats`, epochs and latency.
// `extra` members hold, as the text of a JSON object, the keys that this version does not know.
#ifndef BILANX_RECORD_H
#define BILANX_RECORD_H

#include <stdio.h>

#include "bilanx/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_compile {
    char *cc, *flags;
    char *launder;  // "each": inputs are unknown before each execution; "none"; NULL: unknown
    char *extra;
};

struct bilanx_task {
    char *stmt, *setup, *global_setup, *language;
    char *label, *sub_label, *description, *env;
    uint64_t num_threads;
    struct bilanx_compile *compile;  // NULL: absent
    char *parameters;                // a JSON object
    char *command;                   // a JSON object: how a whole command is run
    char *extra;
};

struct bilanx_rates {  // per call, all threads together
    double bytes, items;
    char *extra;
};

struct bilanx_ratio {  // of its time to another's, from runs side by side
    char *to;          // the other's name
    double estimate;
    double ci95[2];
    uint64_t pairs;
    char *extra;
};

// A function's part in the instructions of a repeat.
struct bilanx_function {
    char *file, *function, *object;
    double self, inclusive;
    char *extra;
};

struct bilanx_allocations {  // per iteration
    double count, bytes;
    double peak;  // bytes held at once, at most, beyond what was held before
    char *extra;
};

// Instructions of the statement's loop. Everything counted is of one repeat, `number` iterations.
struct bilanx_counts {
    char *counter;        // "callgrind", "perf"
    uint64_t number;      // iterations in a repeat
    double instructions;  // the median repeat
    double per_iteration;
    double baseline;  // of as many iterations of the empty loop; never subtracted
    double *repeats;  // instructions of each
    size_t repeat_count;
    char *events;                       // a JSON object: further events of the counter, by name
    struct bilanx_function *functions;  // of the median repeat; their `self` sum up to it
    size_t function_count;
    struct bilanx_allocations *allocations;  // NULL: not asked for
    char *extra;
};

// What a comparison of two sides came to. Its keys stand in the record itself.
struct bilanx_verdict {
    char *verdict;  // "faster", "slower", "same", "undecided", "harness-biased", ...
    char *reason;
    char *baseline;      // what the side was compared with
    double change;       // a fraction of the baseline: .01 is 1 % more
    double interval[2];  // of the change; NaN: nothing can be said yet
    double p;            // the smallest error rate at which it is a change
    double detectable;   // the smallest change that would have been found; NaN: it was decided
    double times[2];     // seconds per call, baseline and side; 0: not timed
    double *changes;     // ln(side / baseline) of each epoch
    size_t change_count;
    double *layouts;  // the change with the code of both moved, once for each padding
    size_t layout_count;
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
    char *output;  // the end of what the process printed
    char *extra;
};

struct bilanx_record {
    char *kind;  // "measurement", "counts" (without times), "verdict", "failure", ...
    struct bilanx_task task;
    char *side;
    struct bilanx_timing timing;
    struct bilanx_stats stats;  // recomputed on reading
    struct bilanx_ratio *ratio;
    struct bilanx_rates *rates;
    struct bilanx_counts *counts;
    struct bilanx_verdict *verdict;  // NULL: nothing was compared
    char *counters;                  // a JSON object: name to number
    double max_rss;                  // bytes
    double elapsed;                  // seconds, all in
    uint64_t place;                  // of its case among those of the run, from 1; 0: not known
    uint64_t attempts;
    uint64_t pages;    // epochs, or processes, whose code had fresh physical pages
    uint64_t redrawn;  // epochs dropped because the machine itself was slow at that moment
    uint64_t setups;   // processes, where setting one up takes so long that there are only few
    uint64_t forks;    // epochs that were forks of a loaded process: draws of stack and heap alone
    uint64_t zygotes;  // how many such processes there were, each a draw of all addresses
    struct bilanx_warning *warnings;
    size_t warning_count;
    char *machine, *git;  // JSON objects
    struct bilanx_failure *error;
    char *extra;
};

BILANX_API void bilanx_record_done(struct bilanx_record *record);

// One line of JSON without a newline; the caller frees it.
BILANX_API char *bilanx_record_json(const struct bilanx_record *record);

// Two are replicates when their whole tasks are equal, and their sides.
BILANX_API bool bilanx_record_replicates(const struct bilanx_record *a,
                                         const struct bilanx_record *b);

// Merges replicates in the order of their first: times side by side, number_per_run 1. Records of
// other kinds stay as they are. Works in place and returns how many are left.
BILANX_API size_t bilanx_record_merge(struct bilanx_record *records, size_t count);

// Reads a file of records, one JSON object per line; "-" is stdin. Errors name file and line. The
// caller ends each record and frees the array.
BILANX_API struct bilanx_error bilanx_record_read_file(const char *path, struct bilanx_record **out,
                                                       size_t *count);

// Reads one record from `size` bytes of JSON; `where` is put before an error's text.
BILANX_API struct bilanx_error bilanx_record_read(const char *json, size_t size, const char *where,
                                                  struct bilanx_record *out);

#ifdef __cplusplus
}
#endif

#endif

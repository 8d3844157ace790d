// run: measures statements, suites and benchmark programs. This is `bilanx time` and `bilanx run`.
//
//     const char *suites[] = {"suite.yaml", NULL};
//     struct bilanx_run_options options = {.suites = suites, .max_run_time = .5};
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_run(&options, &records, &count));
//     for (size_t i = 0; i < count; i++)
//         if (!records[i].error)
//             printf("%s: %g s\n", records[i].task.label, records[i].stats.estimate);
//
// Each case runs in separate processes, so a crash or a hang costs only that case: its record is a
// failure. Records are in the order of the cases. <bilanx/compare.h> makes tables of records;
// docs/formats/record.md explains their members.
#ifndef BILANX_RUN_H
#define BILANX_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"
#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

// Zero selects the default for every member. Arrays of strings end with NULL.
struct bilanx_run_options {
    // What to measure: set one of these.
    const char *const *stmts;     // statements
    const char *const *suites;    // paths of suite files
    const char *const *programs;  // built with <bilanx/bench.h>

    // For statements, and for whatever a suite leaves unset.
    const char *language;  // "c" (default), "c++" or "python"
    const char *setup, *global_setup;
    const char *cc, *cflags, *ldflags;
    const char *const *sources, *const *include;  // files to compile in, include directories
    const char *python;                           // path of the interpreter

    // Generated inputs for statements: each statement is measured on each sample.
    const char *inputs;       // a specification: a file, or a shipped one such as "unary"
    uint64_t take;            // number of samples; default 5
    const char *inputs_seed;  // replaces that of the specification
    const char *dtype;        // of all tensors; default: as specified
    const char *order_by;     // a parameter, or "elements"; default: as drawn
    const char *as;           // Python: "torch", "numpy" or "dlpack"; default: what it imports

    const char *filter;       // only cases whose name matches this regular expression
    const char *const *tags;  // suites: only cases with one of these tags

    const char *method;  // "rigorous" (default), "blocked", "adaptive", "timeit" or "latency"
    uint64_t number, repeats;
    double min_run_time, max_run_time, warmup;  // seconds
    double timeout;                             // seconds a process may stay silent; default 60
    uint64_t seed;                              // for orders and layouts; default: random

    // Called with `context` while the run is in progress.
    void (*note)(void *context, const char *text);  // a line of text for the user
    void (*finished)(void *context, const struct bilanx_record *record);
    void *context;
};

// Measures every case. An error means that nothing could be measured, or that the user pressed ^C.
// `records` and `count` are always set: after an error, to what was measured before it, or to NULL
// and 0. The caller calls bilanx_record_done() on each record and frees the array.
//
// Without an error, a `filter` keeps at least one case. Numbers out of range, such as a negative
// time or NaN, are refused as the command refuses them.
BILANX_API struct bilanx_error bilanx_run(const struct bilanx_run_options *options,
                                          struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif

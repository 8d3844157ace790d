// run: measures statements, suites and benchmark programs. What `bilanx time` and `bilanx run` do.
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
// Each case runs in processes of its own, so one that crashes or hangs is one failed record. The
// order of the records is that of the cases. <bilanx/compare.h> makes tables of records,
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

// Every member may be left at zero, which means its default. Arrays of texts end in a NULL.
struct bilanx_run_options {
    // What is measured: one of these.
    const char *const *stmts;     // statements
    const char *const *suites;    // files
    const char *const *programs;  // made with <bilanx/bench.h>

    // Statements, and what suites leave open.
    const char *language;  // "c", the default, "c++" or "python"
    const char *setup, *global_setup;
    const char *cc, *cflags, *ldflags;
    const char *const *sources, *const *include;  // files to compile in, folders of headers
    const char *python;                           // the interpreter

    const char *filter;       // only cases whose name matches this regular expression
    const char *const *tags;  // of a suite: only cases with one of these

    const char *method;  // default "rigorous"; "blocked", "adaptive", "timeit", "latency"
    uint64_t number, repeats;
    double min_run_time, max_run_time, warmup;  // seconds
    double timeout;                             // seconds that a process may be silent; default 60
    uint64_t seed;                              // of orders and layouts; default: a fresh one

    // Called as the run goes on, with `context`.
    void (*note)(void *context, const char *text);  // a line for a person
    void (*finished)(void *context, const struct bilanx_record *record);
    void *context;
};

// Measures every case. An error means that nothing could be measured, or that somebody pressed ^C;
// what was measured until then is in the records. The caller ends each record and frees the array.
BILANX_API struct bilanx_error bilanx_run(const struct bilanx_run_options *options,
                                          struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif

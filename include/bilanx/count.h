// count: counts the instructions of statements, suites and benchmark programs. This is `bilanx
// count`.
//
//     const char *stmts[] = {"strlen(text)", NULL};
//     struct bilanx_run_options what = {.stmts = stmts, .setup = "char text[] = \"abc\""};
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_count(&what, NULL, &records, &count));
//     if (records[0].counts)
//         printf("%g instructions\n", records[0].counts->per_iteration);
//
// Counts are exact, and broken down by function. They need valgrind. Use <bilanx/counts.h> to
// process them.
#ifndef BILANX_COUNT_H
#define BILANX_COUNT_H

#include "bilanx/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// Zero selects the default for every member.
struct bilanx_count_options {
    bool perf;                 // use the processor's counters instead of valgrind
    uint64_t number, repeats;  // iterations (default 100) and repeats (default 5)
    bool allocations;          // also count memory allocations
    const char *hwcaps;        // count glibc's functions for "x86-64-v2" (default), "x86-64-v3", or
                               // "native": those that glibc chooses on this machine
};

// Like bilanx_run(), but ignores the members of `what` that concern time. `options` may be NULL.
// `records` and `count` are always set, as there.
BILANX_API struct bilanx_error bilanx_count(const struct bilanx_run_options *what,
                                            const struct bilanx_count_options *options,
                                            struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif

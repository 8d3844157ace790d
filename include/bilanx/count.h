// count: counts the instructions of statements, suites and benchmark programs. What `bilanx count`
// does.
//
//     const char *stmts[] = {"strlen(text)", NULL};
//     struct bilanx_run_options what = {.stmts = stmts, .setup = "char text[] = \"abc\""};
//     struct bilanx_record *records;
//     size_t count;
//     BILANX_TRY(bilanx_count(&what, NULL, &records, &count));
//     if (records[0].counts)
//         printf("%g instructions\n", records[0].counts->per_iteration);
//
// Counts are exact and by function; they need valgrind. <bilanx/counts.h> computes with them.
#ifndef BILANX_COUNT_H
#define BILANX_COUNT_H

#include "bilanx/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// Every member may be left at zero, which means its default.
struct bilanx_count_options {
    bool perf;                 // the processor's own counters instead of valgrind
    uint64_t number, repeats;  // iterations, default 100, and how often; default 5
    bool allocations;          // count allocated memory too
};

// As bilanx_run(), of which the members about times are ignored. `options` may be NULL.
BILANX_API struct bilanx_error bilanx_count(const struct bilanx_run_options *what,
                                            const struct bilanx_count_options *options,
                                            struct bilanx_record **records, size_t *count);

#ifdef __cplusplus
}
#endif

#endif

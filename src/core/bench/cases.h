// cases: the benchmarks of this program, each expanded into cases.
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include <stdbool.h>

#include "base/text.h"
#include "bilanx/bench.h"
#include "bilanx/error.h"

enum {
    BENCH_ARGS = 16,       // more arguments than fit in a readable name
    BENCH_CASES = 100000,  // per benchmark; more must be a mistake in a range
};

struct bench_case {
    const struct bilanx_registration *bench;
    const struct bilanx_definition *definition;
    int64_t args[BENCH_ARGS];
    unsigned threads;
    char *name, *label, *sub_label, *description;
};

struct bench_cases {
    struct bench_case *items;
    size_t count, room;
    struct bilanx_definition *definitions;  // one per benchmark
    size_t definition_count;
};

// Expands all registered benchmarks. Errors are mistakes in the program: a duplicate name, an empty
// range, BILANX_CASES for a benchmark that does not exist.
struct bilanx_error bench_cases_make(struct bench_cases *out);
void bench_cases_done(struct bench_cases *cases);

size_t bench_arg_count(const struct bilanx_definition *definition);
const char *bench_arg_name(const struct bilanx_definition *definition, size_t index);  // or NULL
const char *bench_complexity(const struct bilanx_definition *definition);              // or NULL
const char *bench_unit(const struct bilanx_definition *definition);                    // or NULL
double bench_min_time(const struct bilanx_definition *definition);  // seconds; 0: none

#endif

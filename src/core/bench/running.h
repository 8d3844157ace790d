// running: a case while it runs, in this process.
#ifndef BENCH_RUNNING_H
#define BENCH_RUNNING_H

#include "core/bench/cases.h"
#include "core/worker/server.h"

// What a case reports in addition to its times.
struct bench_result {
    double bytes, items;  // per iteration, summed over threads
    struct bench_counter {
        char name[48];
        double value;
        bool is_rate;  // per iteration, to be shown per second
    } counters[16];
    size_t counter_count;
    char remark[120];
    double pauses_per_iteration, pause_cost_ns;
};

struct bench_run {
    const struct bench_case *item;
    uint64_t seed;
    bool barrier;     // run an empty loop instead of the case's body
    bool keep_pages;  // no fresh physical pages
};

// Runs the case's body under the server. Returns when the body does.
void bench_run_case(const struct bench_run *run, struct server *server, struct bench_result *out);

#endif

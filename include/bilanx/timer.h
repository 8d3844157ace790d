// timer: measures one C function in this process.
//
//     static void work(void *context, uint64_t n) { while (n--) ... }   // calls it n times
//     struct bilanx_timing timing = {0};
//     BILANX_TRY(bilanx_blocked_autorange(&(struct bilanx_timer){.body = work}, 0.2, &timing));
//     bilanx_timing_done(&timing);
//
// Times are seconds. The methods keep the contracts of PyTorch's Timer under the same names;
// bilanx_rigorous() is the method to prefer, and bilanx_latency() times every call by itself.
// Ownership: the caller ends what it gets with bilanx_timing_done(). Threads: one timer, one
// thread.
#ifndef BILANX_TIMER_H
#define BILANX_TIMER_H

#include "bilanx/record.h"
#include "bilanx/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_timer {
    void (*body)(void *context, uint64_t n);  // executes the measured code n times
    void *context;
    void (*callback)(void *context, uint64_t number,
                     double seconds);  // after each block; may be NULL
    void *callback_context;
};

// One block of `number` calls: no spread can be known from it.
BILANX_API struct bilanx_error bilanx_timeit(const struct bilanx_timer *timer, uint64_t number,
                                             struct bilanx_timing *out);

// `repeats` blocks of `number` calls.
BILANX_API struct bilanx_error bilanx_repeat(const struct bilanx_timer *timer, uint64_t repeats,
                                             uint64_t number, struct bilanx_timing *out);

// Finds a block size, so large that the clock's cost is under 1e-4 of a block, then takes blocks
// for `min_run_time` (0 means .2).
BILANX_API struct bilanx_error bilanx_blocked_autorange(const struct bilanx_timer *timer,
                                                        double min_run_time,
                                                        struct bilanx_timing *out);

// Blocks until there are more than 3 and their IQR is under `threshold` of the median, for at least
// `min_run_time` and no more than `max_run_time` (zeroes mean .1, .01 and 10).
BILANX_API struct bilanx_error bilanx_adaptive_autorange(const struct bilanx_timer *timer,
                                                         double threshold, double min_run_time,
                                                         double max_run_time,
                                                         struct bilanx_timing *out);

// Short batches in epochs, each in a fork of this process, until the 95 % interval is within .5 %
// or `max_run_time` (0 means 1) is spent. What the body changes in memory stays in the fork.
BILANX_API struct bilanx_error bilanx_rigorous(const struct bilanx_timer *timer,
                                               double max_run_time, struct bilanx_timing *out);

// Every call timed by itself for `max_run_time` (0 means .5): percentiles in out->latency.
BILANX_API struct bilanx_error bilanx_latency(const struct bilanx_timer *timer, double max_run_time,
                                              struct bilanx_timing *out);

// ---- Statements, as text ---- (libbilanx, not libbilanx-bench)
//
//     struct bilanx_record record;
//     BILANX_TRY(bilanx_time_statement(
//         &(struct bilanx_statement){.stmt = "x * y", .setup = "double x = 2, y = 3"}, &record));
//     printf("%g s\n", record.stats.estimate);
//     bilanx_record_done(&record);

struct bilanx_statement {  // every field but stmt may be left out
    const char *stmt, *setup, *global_setup;
    const char *language;  // "c", the default, "c++" or "python"
    const char *label, *sub_label, *description, *env;
    uint64_t num_threads;               // that the statement may use; default 1
    const char *cc, *cflags, *ldflags;  // default: cc or c++, at -O2
    const char *python;                 // the interpreter; default: $BILANX_PYTHON, or python3
    const char *method;  // default "rigorous"; "blocked", "adaptive", "timeit", "latency"
    uint64_t number, repeats;
    double min_run_time, max_run_time, timeout;
};

// Compiles the statement, or finds it in the cache, and measures it in processes of its own. What
// the statement does wrong (it does not compile, crashes, hangs) is a record of kind "failure"; an
// error is a usage that makes no sense, or a system that cannot do it.
BILANX_API struct bilanx_error bilanx_time_statement(const struct bilanx_statement *statement,
                                                     struct bilanx_record *out);

#ifdef __cplusplus
}
#endif

#endif

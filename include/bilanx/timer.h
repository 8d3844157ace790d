// timer: measures one C function in this process.
//
//     static void work(void *context, uint64_t n)  // calls it n times
//     {
//         while (n--)
//             getpid();
//     }
//
//     struct bilanx_timing timing = {0};
//     BILANX_TRY(bilanx_blocked_autorange(&(struct bilanx_timer){.body = work}, 0.2, &timing));
//     bilanx_timing_done(&timing);
//
// Times are in seconds. Methods named as in PyTorch's Timer behave as they do there. Prefer
// bilanx_rigorous(); bilanx_latency() times each call individually. Ownership: the caller frees
// results with bilanx_timing_done(). Threads: use each timer in one thread only.
#ifndef BILANX_TIMER_H
#define BILANX_TIMER_H

#include "bilanx/record.h"
#include "bilanx/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_timer {
    void (*body)(void *context, uint64_t n);  // runs the measured code n times
    void *context;
    void (*callback)(void *context, uint64_t number,
                     double seconds);  // called after each block; may be NULL
    void *callback_context;
};

// Times one block of `number` calls. A single block does not show the spread.
BILANX_API struct bilanx_error bilanx_timeit(const struct bilanx_timer *timer, uint64_t number,
                                             struct bilanx_timing *out);

// Times `repeats` blocks of `number` calls each.
BILANX_API struct bilanx_error bilanx_repeat(const struct bilanx_timer *timer, uint64_t repeats,
                                             uint64_t number, struct bilanx_timing *out);

// Picks a block size for which the clock costs less than 1e-4 of a block, then times blocks for
// `min_run_time` (0 means .2).
BILANX_API struct bilanx_error bilanx_blocked_autorange(const struct bilanx_timer *timer,
                                                        double min_run_time,
                                                        struct bilanx_timing *out);

// Times blocks until there are more than 3 and their IQR is below `threshold` times the median, for
// at least `min_run_time` and at most `max_run_time` (zeros mean .1, .01 and 10).
BILANX_API struct bilanx_error bilanx_adaptive_autorange(const struct bilanx_timer *timer,
                                                         double threshold, double min_run_time,
                                                         double max_run_time,
                                                         struct bilanx_timing *out);

// Times short batches in epochs, each in a fork of this process, until the 95 % interval is within
// .5 % or `max_run_time` (0 means 1) is used up. Changes the body makes to memory stay in the fork.
BILANX_API struct bilanx_error bilanx_rigorous(const struct bilanx_timer *timer,
                                               double max_run_time, struct bilanx_timing *out);

// Times each call individually for `max_run_time` (0 means .5). The percentiles are in
// out->latency.
BILANX_API struct bilanx_error bilanx_latency(const struct bilanx_timer *timer, double max_run_time,
                                              struct bilanx_timing *out);

// ---- Statements, as text ---- (libbilanx, not libbilanx-bench)
//
//     struct bilanx_record record;
//     BILANX_TRY(bilanx_time_statement(
//         &(struct bilanx_statement){.stmt = "x * y", .setup = "double x = 2, y = 3"}, &record));
//     printf("%g s\n", record.stats.estimate);
//     bilanx_record_done(&record);

struct bilanx_statement {  // all fields except stmt are optional
    const char *stmt, *setup, *global_setup;
    const char *language;  // "c" (default), "c++" or "python"
    const char *label, *sub_label, *description, *env;
    uint64_t num_threads;               // threads the statement may use; default 1
    const char *cc, *cflags, *ldflags;  // default: cc or c++, with -O2
    const char *python;  // path of the interpreter; default: $BILANX_PYTHON, or python3
    const char *method;  // "rigorous" (default), "blocked", "adaptive", "timeit" or "latency"
    uint64_t number, repeats;
    double min_run_time, max_run_time, timeout;
};

// Compiles the statement, or takes it from the cache, and measures it in separate processes. If the
// statement itself fails (does not compile, crashes, hangs), the result is a record of kind
// "failure". Errors are for invalid usage, for system failures and for ^C; `out` is then a record
// without a kind, which bilanx_record_done() accepts.
BILANX_API struct bilanx_error bilanx_time_statement(const struct bilanx_statement *statement,
                                                     struct bilanx_record *out);

#ifdef __cplusplus
}
#endif

#endif

/* bench: a benchmark is a C or C++ function with a loop in it.
 *
 *     #include <bilanx/bench.h>
 *
 *     BILANX_BENCH(copy, 64, 4096)  // one case per argument; b is the benchmark
 *     {
 *         size_t n = (size_t)bilanx_arg(b, 0);
 *         char *from = calloc(1, n), *to = calloc(1, n);
 *         BILANX_LOOP(b) { memcpy(to, from, n); BILANX_KEEP(to); BILANX_CLOBBER(); }
 *         bilanx_bytes(b, n);
 *         free(from);
 *         free(to);
 *     }
 *
 *     BILANX_MAIN()
 *
 *     cc -O2 copy.c -lbilanx-bench && ./a.out
 *
 * Needs C99 or C++11 or later, and GCC or Clang. Code before and after the loop is not timed. A
 * case runs several times, each time in a new process, so changes to memory do not carry over.
 */
#ifndef BILANX_BENCH_H
#define BILANX_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "bilanx/keep.h"

#if defined(__GNUC__)
#define BILANX_PUBLIC_ __attribute__((visibility("default")))
#define BILANX_REASON_ __attribute__((format(printf, 2, 3)))
#define BILANX_FIXED_ \
    __attribute__((const, nothrow)) /* evaluated once, however often it is written */
#else
#error "bilanx/bench.h needs GCC or Clang"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_bench;      /* the running benchmark: b */
struct bilanx_definition; /* the cases of a benchmark: d in BILANX_CASES */

/* ---- The loop ----
 *
 * BILANX_LOOP(b) repeats the statement or block after it as often as the measurement needs.
 * `continue` works. Leaving the loop by `break`, `return` or `goto` makes the case fail, and so
 * does starting a process without waiting for it.
 *
 * BILANX_BATCHES also allows untimed work before each batch of calls:
 *
 *     BILANX_BATCHES(b) {
 *         prepare(items, bilanx_batch_size(b));
 *         BILANX_TIMED(b) { consume(items); }
 *     }
 */
#define BILANX_LOOP(b)                                                                           \
    for (uint64_t bilanx_left_ = 0; (bilanx_left_ = bilanx_bench_next((b), bilanx_left_)) != 0;) \
        for (; bilanx_left_ != 0; bilanx_left_--)
#define BILANX_BATCHES(b) while (bilanx_bench_stage((b)) != 0)
#define BILANX_TIMED(b)                                   \
    for (uint64_t bilanx_left_ = bilanx_bench_start((b)); \
         bilanx_left_ != 0 || bilanx_bench_stop((b)) != 0; bilanx_left_--)
BILANX_PUBLIC_ uint64_t bilanx_batch_size(const struct bilanx_bench *b);

/* Stops the clock within an iteration. Each pair adds about one clock read to the result; the
 * output reports how much. Prefer BILANX_BATCHES. */
BILANX_PUBLIC_ void bilanx_pause(struct bilanx_bench *b);
BILANX_PUBLIC_ void bilanx_resume(struct bilanx_bench *b);

/* Replaces the clock: the batch takes the sum of the seconds reported here. */
BILANX_PUBLIC_ void bilanx_manual_time(struct bilanx_bench *b, double seconds);

/* ---- Arguments and results ---- */

/* Arguments do not change during a run, and the compiler knows that: `i < bilanx_arg(b, 0)` in a
 * loop costs no more than a variable. */
BILANX_PUBLIC_ int64_t bilanx_arg(struct bilanx_bench *b, size_t index) BILANX_FIXED_;
BILANX_PUBLIC_ int64_t bilanx_arg_named(struct bilanx_bench *b, const char *name) BILANX_FIXED_;

/* What one iteration processes, per thread. Shown as GB/s and items per second. */
BILANX_PUBLIC_ void bilanx_bytes(struct bilanx_bench *b, double per_iteration);
BILANX_PUBLIC_ void bilanx_items(struct bilanx_bench *b, double per_iteration);

/* Any other figure, shown next to the time; summed over threads. A rate is shown per second. */
BILANX_PUBLIC_ void bilanx_counter(struct bilanx_bench *b, const char *name, double value);
BILANX_PUBLIC_ void bilanx_rate(struct bilanx_bench *b, const char *name, double per_iteration);

/* A few words shown next to the time, such as the algorithm that was chosen. */
BILANX_PUBLIC_ void bilanx_remark(struct bilanx_bench *b, const char *text, ...) BILANX_REASON_;

/* Ends the case with a reason: it cannot run here, or its result is wrong. Return afterwards. */
BILANX_PUBLIC_ void bilanx_skip(struct bilanx_bench *b, const char *reason, ...) BILANX_REASON_;
BILANX_PUBLIC_ void bilanx_fail(struct bilanx_bench *b, const char *reason, ...) BILANX_REASON_;

/* In a case with several threads, each thread runs the whole body; batches start together. */
BILANX_PUBLIC_ unsigned bilanx_thread_index(const struct bilanx_bench *b);
BILANX_PUBLIC_ unsigned bilanx_thread_count(const struct bilanx_bench *b);

/* ---- Cases ----
 *
 *     BILANX_BENCH(multiply) { int64_t n = bilanx_arg_named(b, "n"); ... }
 *     BILANX_CASES(multiply)
 *     {
 *         bilanx_range(d, "n", 16, 1024, 4);     16, 64, 256, 1024
 *         bilanx_axis(d, "tile", 8, 32);         each with 8 and 32: 8 cases
 *         bilanx_complexity(d, "n");
 *     }
 *
 *     bilanx_axis(d, name, ...)      values of an argument; axes are combined
 *     bilanx_range(d, name, a, b, f) a, a*f, a*f*f, ... and b
 *     bilanx_steps(d, name, a, b, s) a, a+s, a+2s, ... up to b
 *     bilanx_case(d, ...)            one case with these arguments, instead of axes
 *     bilanx_names(d, ...)           names for the arguments of bilanx_case
 *     bilanx_threads(d, ...)         runs every case with each of these thread counts
 *     bilanx_label, bilanx_sub_label, bilanx_description
 *                                    labels of the task, where $n is the argument n and $0 the
 *                                    first argument; defaults: the benchmark's name, the
 *                                    arguments, and nothing
 *     bilanx_complexity(d, name)     fits how time grows with this argument
 *     bilanx_unit(d, unit)           shows times in ns, us, ms or s; default: as they need
 *     bilanx_min_time(d, seconds)    measures each case at least this long
 */
#define bilanx_axis(d, name, ...)                                                    \
    do {                                                                             \
        static const int64_t bilanx_list_[] = {__VA_ARGS__};                         \
        bilanx_axis_values((d), (name), bilanx_list_, BILANX_LENGTH_(bilanx_list_)); \
    } while (0)
#define bilanx_case(d, ...)                                                  \
    do {                                                                     \
        static const int64_t bilanx_list_[] = {__VA_ARGS__};                 \
        bilanx_case_values((d), bilanx_list_, BILANX_LENGTH_(bilanx_list_)); \
    } while (0)
#define bilanx_threads(d, ...)                                                 \
    do {                                                                       \
        static const int64_t bilanx_list_[] = {__VA_ARGS__};                   \
        bilanx_thread_values((d), bilanx_list_, BILANX_LENGTH_(bilanx_list_)); \
    } while (0)
#define bilanx_names(d, ...)                                                 \
    do {                                                                     \
        static const char *const bilanx_list_[] = {__VA_ARGS__};             \
        bilanx_name_values((d), bilanx_list_, BILANX_LENGTH_(bilanx_list_)); \
    } while (0)

BILANX_PUBLIC_ void bilanx_range(struct bilanx_definition *d, const char *name, int64_t from,
                                 int64_t to, int64_t factor);
BILANX_PUBLIC_ void bilanx_steps(struct bilanx_definition *d, const char *name, int64_t from,
                                 int64_t to, int64_t step);
BILANX_PUBLIC_ void bilanx_label(struct bilanx_definition *d, const char *text);
BILANX_PUBLIC_ void bilanx_sub_label(struct bilanx_definition *d, const char *text);
BILANX_PUBLIC_ void bilanx_description(struct bilanx_definition *d, const char *text);
BILANX_PUBLIC_ void bilanx_complexity(struct bilanx_definition *d, const char *argument);
BILANX_PUBLIC_ void bilanx_unit(struct bilanx_definition *d, const char *unit);
BILANX_PUBLIC_ void bilanx_min_time(struct bilanx_definition *d, double seconds);

/* ---- Benchmarks made at run time ----
 *
 * bilanx_add() adds one before bilanx_bench_main() starts. Any name will do. `context` is what
 * bilanx_context() returns in the body; `define`, which may be NULL, adds cases as BILANX_CASES
 * does. C++ has more convenient ways: bench.hpp. */
typedef void bilanx_body_function(struct bilanx_bench *b);
typedef void bilanx_define_function(struct bilanx_definition *d, void *context);
static inline void bilanx_add(const char *name, bilanx_body_function *body,
                              bilanx_define_function *define, void *context);
BILANX_PUBLIC_ void *bilanx_context(struct bilanx_bench *b);

/* ---- The program ---- */

#define BILANX_MAIN()                         \
    int main(int argc, char **argv)           \
    {                                         \
        return bilanx_bench_main(argc, argv); \
    }
/* For programs with their own main(): parses options, measures, prints. Returns the exit status. */
BILANX_PUBLIC_ int bilanx_bench_main(int argc, char **argv);

/* ---- Behind the macros ---- */

#define BILANX_LENGTH_(list) (sizeof(list) / sizeof((list)[0]))

struct bilanx_registration {
    const char *name;
    void (*body)(struct bilanx_bench *b);
    const int64_t *args; /* one case for each, except the last, a terminator */
    size_t args_size;
    int optimised;
    const char *language;
    const char *compiler;
    struct bilanx_registration *next;
    void (*define)(struct bilanx_definition *d, void *context); /* may be NULL */
    void *context;
};

#ifdef __OPTIMIZE__
#define BILANX_OPTIMISED_ 1
#else
#define BILANX_OPTIMISED_ 0
#endif
#ifdef __cplusplus
#define BILANX_LANGUAGE_ "c++"
#else
#define BILANX_LANGUAGE_ "c"
#endif
#ifdef __clang__
#define BILANX_COMPILER_ __VERSION__
#else
#define BILANX_COMPILER_ "gcc " __VERSION__
#endif

/* The 0 terminates the arguments, so that there may be none. */
#define BILANX_BENCH(...) BILANX_BENCH_(__VA_ARGS__, 0)
#define BILANX_BENCH_(bench, ...)                                                                \
    static void bilanx_body_##bench(struct bilanx_bench *b);                                     \
    static const int64_t bilanx_args_##bench[] = {__VA_ARGS__};                                  \
    static struct bilanx_registration bilanx_registration_##bench = {#bench,                     \
                                                                     bilanx_body_##bench,        \
                                                                     bilanx_args_##bench,        \
                                                                     sizeof bilanx_args_##bench, \
                                                                     BILANX_OPTIMISED_,          \
                                                                     BILANX_LANGUAGE_,           \
                                                                     BILANX_COMPILER_,           \
                                                                     NULL,                       \
                                                                     NULL,                       \
                                                                     NULL};                      \
    __attribute__((constructor)) static void bilanx_register_##bench(void)                       \
    {                                                                                            \
        bilanx_bench_register(&bilanx_registration_##bench);                                     \
    }                                                                                            \
    static void bilanx_body_##bench(struct bilanx_bench *b)

struct bilanx_case_registration {
    const char *name;
    void (*define)(struct bilanx_definition *d);
    struct bilanx_case_registration *next;
};

#define BILANX_CASES(bench)                                                                       \
    static void bilanx_define_##bench(struct bilanx_definition *d);                               \
    static struct bilanx_case_registration bilanx_cases_##bench = {#bench, bilanx_define_##bench, \
                                                                   NULL};                         \
    __attribute__((constructor)) static void bilanx_register_cases_##bench(void)                  \
    {                                                                                             \
        bilanx_bench_register_cases(&bilanx_cases_##bench);                                       \
    }                                                                                             \
    static void bilanx_define_##bench(struct bilanx_definition *d)

BILANX_PUBLIC_ void bilanx_bench_register(struct bilanx_registration *registration);
/* Copies the registration and its name. */
BILANX_PUBLIC_ void bilanx_bench_register_copy(const struct bilanx_registration *registration);
static inline void bilanx_add(const char *name, bilanx_body_function *body,
                              bilanx_define_function *define, void *context)
{
    const struct bilanx_registration registration = {name,
                                                     body,
                                                     NULL,
                                                     sizeof(int64_t),
                                                     BILANX_OPTIMISED_,
                                                     BILANX_LANGUAGE_,
                                                     BILANX_COMPILER_,
                                                     NULL,
                                                     define,
                                                     context};
    bilanx_bench_register_copy(&registration);
}
BILANX_PUBLIC_ void bilanx_bench_register_cases(struct bilanx_case_registration *registration);
BILANX_PUBLIC_ uint64_t bilanx_bench_next(struct bilanx_bench *b, uint64_t left);
BILANX_PUBLIC_ uint64_t bilanx_bench_stage(struct bilanx_bench *b);
BILANX_PUBLIC_ uint64_t bilanx_bench_start(struct bilanx_bench *b);
BILANX_PUBLIC_ uint64_t bilanx_bench_stop(struct bilanx_bench *b);
BILANX_PUBLIC_ void bilanx_axis_values(struct bilanx_definition *d, const char *name,
                                       const int64_t *values, size_t count);
BILANX_PUBLIC_ void bilanx_case_values(struct bilanx_definition *d, const int64_t *values,
                                       size_t count);
BILANX_PUBLIC_ void bilanx_thread_values(struct bilanx_definition *d, const int64_t *values,
                                         size_t count);
BILANX_PUBLIC_ void bilanx_name_values(struct bilanx_definition *d, const char *const *names,
                                       size_t count);

#ifdef __cplusplus
}
#endif

#endif

// accuracy: compares measurements with known truths.
//
//     accuracy BENCH_CHAINS BENCH_WORKLOADS [--quick]
//
// 1. Chains of k = 1..64 dependent multiplications lie on a straight line: every residual is under
//    1 % of the fitted value.
// 2. Two rigorous measurements of the same code with interleaved epochs do not differ: the 95 %
//    interval of the difference contains 0 in at least 90 of 100 repetitions. It is computed from
//    the epochs alone, so it is narrower than what bilanx reports, which also contains the error of
//    the pace and what neighbouring epochs have in common; how often the reported intervals agree
//    is printed below it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/run/run.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"
#include "core/worker/server.h"

enum { LONGEST = 64 };
static const double RESIDUAL_LIMIT = 0.01;
static const double CONTAINED_LIMIT = 0.90;

static void measure(const char *program, const char *filter, const struct run_options *options,
                    const struct run_observer *observer)
{
    const char *argv[] = {program, NULL};
    struct run_subject subject = {.name = program,
                                  .launch = {.argv = argv, .channel = WORKER_CHANNEL}};
    AUTO(run_cases) struct run_cases cases = {0};
    struct bilanx_error error = run_list(&subject, filter, &cases);
    if (error.status == BILANX_OK)
        error = run_measure(&cases, options, observer);
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static void keep_chain(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    double *ns = context;
    ns[(int)measured->arguments[0].value - 1] = record->stats.estimate * 1e9;
    bilanx_record_done(record);
}

// Fits the line with the least squared relative residuals. Without weights, the longest chains have
// the largest errors in nanoseconds; they would determine the intercept, and with it the residuals
// of the shortest chains.
static struct line fit_relative(const double *x, const double *y, int n)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (int i = 0; i < n; i++) {
        double weight = 1 / (y[i] * y[i]);
        w += weight;
        wx += weight * x[i];
        wy += weight * y[i];
        wxx += weight * x[i] * x[i];
        wxy += weight * x[i] * y[i];
    }
    double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    return (struct line){.slope = slope, .intercept = (wy - slope * wx) / w};
}

// Returns the worst residual, as a fraction of the fitted value.
static double fit_chains(const char *program, struct line *line, int *worst_k)
{
    double k[LONGEST], ns[LONGEST] = {0}, worst = 0;
    measure(program, NULL, &(struct run_options){.precision = 0.002},
            &(struct run_observer){ns, NULL, keep_chain});
    for (int i = 0; i < LONGEST; i++)
        k[i] = i + 1;
    *line = fit_relative(k, ns, LONGEST);
    for (int i = 0; i < LONGEST; i++) {
        double fitted = line->intercept + line->slope * k[i];
        double residual = fabs(ns[i] - fitted) / fitted;
        if (residual > worst) {
            worst = residual;
            *worst_k = i + 1;
        }
    }
    return worst;
}

static bool check_chains(const char *program, int runs)
{
    int good = 0;
    printf("chains of 1 to %d multiplications, %d runs\n", LONGEST, runs);
    for (int i = 0; i < runs; i++) {
        struct line line;
        int worst_k = 0;
        double worst = fit_chains(program, &line, &worst_k);
        good += worst < RESIDUAL_LIMIT;
        printf("  run %2d: %.4f ns + %.5f ns k, worst residual %.3f %% at k = %d\n", i + 1,
               line.intercept, line.slope, worst * 100, worst_k);
        fflush(stdout);
    }
    printf("  every residual under %.0f %% in %d of %d runs\n\n", RESIDUAL_LIMIT * 100, good, runs);
    return good == runs;
}

struct pair {
    double *logs[2];
    size_t count[2];
    double estimate[2], half[2];  // as reported, of the logarithm
};

static void keep_side(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct pair *pair = context;
    int side = measured->name[strlen(measured->name) - 1] == 'b';
    const struct bilanx_timing *timing = &record->timing;
    pair->logs[side] = mem_array(double, timing->raw_count);
    pair->count[side] = timing->raw_count;
    for (size_t i = 0; i < timing->raw_count; i++)
        pair->logs[side][i] = ln(timing->raw_times[i] / (double)timing->number_per_run);
    pair->estimate[side] = ln(record->stats.estimate);
    pair->half[side] = ln(record->stats.ci95[1] / record->stats.ci95[0]) / 2;
    bilanx_record_done(record);
}

// Whether the two reported intervals allow for the same time.
static bool reported_agree(const struct pair *pair)
{
    double difference = fabs(pair->estimate[1] - pair->estimate[0]);
    return difference <= sqrt(pair->half[0] * pair->half[0] + pair->half[1] * pair->half[1]);
}

static bool check_same(const char *program, const char *workload, int repetitions)
{
    int contained = 0, reported = 0;
    double *widths = mem_array(double, repetitions);
    for (int i = 0; i < repetitions; i++) {
        struct pair pair = {0};
        measure(program, workload, &(struct run_options){0},
                &(struct run_observer){&pair, NULL, keep_side});
        struct interval difference = stats_difference_interval(pair.logs[0], pair.count[0],
                                                               pair.logs[1], pair.count[1], 0.95);
        contained += difference.low <= 0 && difference.high >= 0;
        widths[i] = (difference.high - difference.low) / 2;
        reported += reported_agree(&pair);
        free(pair.logs[0]);
        free(pair.logs[1]);
    }
    stats_sort(widths, (size_t)repetitions);
    printf("  %-8s the interval of b - a contains 0 in %d of %d; its half width, median: %.3f %%\n"
           "  %-8s by the reported intervals in %d\n",
           workload, contained, repetitions, stats_quantile(widths, (size_t)repetitions, 0.5) * 100,
           "", reported);
    fflush(stdout);
    free(widths);
    return contained >= CONTAINED_LIMIT * repetitions;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    bool quick = argc > 3 && strcmp(argv[3], "--quick") == 0;
    bool met = check_chains(argv[1], quick ? 3 : 20);
    int repetitions = quick ? 10 : 100;
    printf("the same code under two names, epochs interleaved\n");
    static const char *const workloads[] = {"alu", "branchy", "chase"};
    for (size_t i = 0; i < 3; i++)
        met &= check_same(argv[2], workloads[i], repetitions);
    printf("all met: %s\n", met ? "yes" : "no");
    return !met;
}

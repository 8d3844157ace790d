// overhead: the cost per iteration of three loops with an empty body, interleaved.
//
//     overhead BENCH_LOOPS GOOGLE_LOOP [ROUNDS]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "core/run/run.h"
#include "core/stats/stats.h"
#include "core/worker/server.h"

enum { BILANX, BARE, GOOGLE, LOOPS };
enum { EPOCHS = 5 };  // used per round for each of our two loops; further ones are ignored
static const char *const names[LOOPS] = {"BILANX_LOOP", "bare for", "Google Benchmark"};
static const double LIMIT = 1.02;

struct samples {  // our two loops per epoch, Google's per round
    double *ns;
    size_t count, room;
};

static void add(struct samples *samples, double ns)
{
    mem_grow(samples->ns, samples->count, &samples->room);
    samples->ns[samples->count++] = ns;
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct samples *samples = context;
    const struct bilanx_timing *timing = &record->timing;
    int loop = strcmp(measured->name, "bare") == 0 ? BARE : BILANX;
    for (size_t i = 0; i < EPOCHS && i < timing->raw_count; i++)
        add(&samples[loop], timing->raw_times[i] / (double)timing->number_per_run * 1e9);
    bilanx_record_done(record);
}

// Measures our two loops, alternating single epochs in random order.
static void time_ours(const char *program, struct samples *samples)
{
    const char *argv[] = {program, NULL};
    struct run_subject subject = {.name = program,
                                  .launch = {.argv = argv, .channel = WORKER_CHANNEL}};
    AUTO(run_cases) struct run_cases cases = {0};
    struct bilanx_error error = run_list(&subject, NULL, &cases);
    if (error.status == BILANX_OK)
        error = run_measure(&cases, &(struct run_options){.max_run_time = 0.1},
                            &(struct run_observer){samples, NULL, finished});
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static void time_google(const char *program, double *ns)
{
    AUTO(memory) char *command =
        mem_format("'%s' --benchmark_format=csv --benchmark_min_time=0.1 2>/dev/null", program);
    FILE *output = popen(command, "r");
    char line[500];
    *ns = NAN;
    while (output && fgets(line, sizeof line, output))
        sscanf(line, "\"google\",%*[^,],%lf", ns);
    if (!output || pclose(output) != 0 || isnan(*ns)) {
        fprintf(stderr, "%s does not work\n", program);
        exit(1);
    }
}

static double median(const double *values, size_t n, struct interval *interval)
{
    double *sorted = mem_array(double, n);
    memcpy(sorted, values, n * sizeof *sorted);
    stats_sort(sorted, n);
    double middle = stats_quantile(sorted, n, 0.5);
    *interval = (struct interval){NAN, NAN};
    stats_median_interval(sorted, n, 0.95, interval);
    free(sorted);
    return middle;
}

// Compares neighbours in time: each sample is divided by the bare loop's sample next to it.
static double ratio_to_bare(const struct samples *samples, int loop, struct interval *interval)
{
    size_t n = samples[loop].count;
    size_t stride = samples[BARE].count / n;
    double *ratios = mem_array(double, n);
    for (size_t i = 0; i < n; i++)
        ratios[i] = samples[loop].ns[i] / samples[BARE].ns[i * stride];
    double ratio = median(ratios, n, interval);
    free(ratios);
    return ratio;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 20;
    struct samples samples[LOOPS] = {0};
    struct random random;
    random_init(&random, random_fresh_seed());
    for (size_t i = 0; i < rounds; i++) {
        bool google_first = random_below(&random, 2);
        double google_ns;
        if (google_first)
            time_google(argv[2], &google_ns);
        time_ours(argv[1], samples);
        if (!google_first)
            time_google(argv[2], &google_ns);
        add(&samples[GOOGLE], google_ns);
    }
    printf("an iteration around asm volatile(\"\"), %zu rounds\n", rounds);
    for (int loop = 0; loop < LOOPS; loop++) {
        struct interval unused, interval;
        double ns = median(samples[loop].ns, samples[loop].count, &unused);
        double ratio = ratio_to_bare(samples, loop, &interval);
        printf("%-18s %.4f ns   %.4f x bare (95 %%: %.4f to %.4f)\n", names[loop], ns, ratio,
               interval.low, interval.high);
    }
    struct interval interval;
    bool met = ratio_to_bare(samples, BILANX, &interval) <= LIMIT;
    printf("ours at most %.2f x the bare loop: %s\n", LIMIT, met ? "yes" : "no");
    for (int i = 0; i < LOOPS; i++)
        free(samples[i].ns);
    return !met;
}

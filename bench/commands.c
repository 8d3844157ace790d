// commands: times `true` and `sleep .01` with hyperfine -N and with bilanx time, in turns.
//
// In each round each tool measures `true` against `true`, then `sleep .01`, with the same number of
// runs. The order of the tools is random in every round. Means are over all runs of all rounds. The
// difference between the two identical commands is the ratio of means in hyperfine's JSON, and
// `ratio` in bilanx's record.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "bilanx/record.h"
#include "core/stats/elementary.h"
#include "core/stats/stats.h"

extern char **environ;
enum { ROUNDS = 20, TOOLS = 2, HYPERFINE = 0, BILANX = 1 };
static const char *const names[TOOLS] = {"hyperfine", "bilanx"};
static char result_file[] = "/tmp/bilanx-bench-XXXXXX";
static const char *bilanx;

struct figures {  // of one tool, by round
    double true_mean[ROUNDS], true_median[ROUNDS], sleep_mean[ROUNDS], difference[ROUNDS];
};

static void die(const char *what)
{
    fprintf(stderr, "bench/commands: %s\n", what);
    unlink(result_file);
    exit(1);
}

static void run(const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
        die("cannot start a tool");
    waitpid(pid, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0)
        die("a tool failed");
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void hyperfine_round(struct figures *out, int round)
{
    const char *pair[] = {"hyperfine",     "-N",        "--warmup", "2",    "--runs", "200",
                          "--export-json", result_file, "true",     "true", NULL};
    const char *asleep[] = {"hyperfine",     "-N",        "--warmup",  "2", "--runs", "20",
                            "--export-json", result_file, "sleep .01", NULL};
    run(pair);
    json_t *json = json_load_file(result_file, 0, NULL);
    const json_t *first = json_array_get(json_object_get(json, "results"), 0);
    const json_t *second = json_array_get(json_object_get(json, "results"), 1);
    double a = number(first, "mean"), b = number(second, "mean");
    out->true_mean[round] = (a + b) / 2;
    out->true_median[round] = (number(first, "median") + number(second, "median")) / 2;
    out->difference[round] = ln(b / a);
    json_decref(json);
    run(asleep);
    json = json_load_file(result_file, 0, NULL);
    out->sleep_mean[round] = number(json_array_get(json_object_get(json, "results"), 0), "mean");
    json_decref(json);
}

static struct bilanx_record *read_records(size_t wanted)
{
    struct bilanx_record *records;
    size_t count;
    struct bilanx_error error = bilanx_record_read_file(result_file, &records, &count);
    if (error.status != BILANX_OK)
        die(error.text);
    if (count != wanted)
        die("bilanx wrote another number of records");
    return records;
}

static void free_records(struct bilanx_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bilanx_record_done(&records[i]);
    free(records);
}

static void bilanx_round(struct figures *out, int round)
{
    const char *pair[] = {bilanx,   "time", "-q",          "--warmup", "2",
                          "--runs", "200",  "--overwrite", "-o",       result_file,
                          "--",     "true", "--and",       "true",     NULL};
    const char *asleep[] = {bilanx,   "time",  "-q",          "--warmup", "2",
                            "--runs", "20",    "--overwrite", "-o",       result_file,
                            "--",     "sleep", ".01",         NULL};
    run(pair);
    struct bilanx_record *records = read_records(2);
    const struct bilanx_ratio *ratio = records[records[0].ratio ? 0 : 1].ratio;
    if (!ratio)
        die("bilanx compared nothing");
    out->true_mean[round] = (records[0].stats.mean + records[1].stats.mean) / 2;
    out->true_median[round] = (records[0].stats.median + records[1].stats.median) / 2;
    out->difference[round] = ln(ratio->estimate);
    free_records(records, 2);
    run(asleep);
    records = read_records(1);
    out->sleep_mean[round] = records[0].stats.mean;
    free_records(records, 1);
}

int main(int argc, char **argv)
{
    static struct figures figures[TOOLS];
    static void (*const measure[TOOLS])(struct figures *, int) = {hyperfine_round, bilanx_round};
    int fd = mkstemp(result_file);
    if (argc < 2 || fd < 0)
        return 2;
    close(fd);
    bilanx = argv[1];
    struct random random;
    random_init(&random, random_fresh_seed());
    for (int round = 0; round < ROUNDS; round++) {
        size_t order[TOOLS] = {HYPERFINE, BILANX};
        random_shuffle(&random, order, TOOLS);
        for (int i = 0; i < TOOLS; i++)
            measure[order[i]](&figures[order[i]], round);
    }
    unlink(result_file);
    double mean[TOOLS], deviation[TOOLS];
    printf("%d rounds of each    true: mean    median   sleep .01: mean   true over true: sd\n",
           ROUNDS);
    for (int i = 0; i < TOOLS; i++) {
        mean[i] = stats_mean(figures[i].true_mean, ROUNDS);
        deviation[i] = square_root(stats_variance(figures[i].difference, ROUNDS));
        printf("%-17s %9.1f us %6.1f us %14.3f ms %17.2f %%\n", names[i], mean[i] * 1e6,
               stats_mean(figures[i].true_median, ROUNDS) * 1e6,
               stats_mean(figures[i].sleep_mean, ROUNDS) * 1e3, deviation[i] * 100);
    }
    bool quicker = mean[BILANX] <= mean[HYPERFINE],
         steadier = deviation[BILANX] < deviation[HYPERFINE];
    printf("our mean of true is not above hyperfine's: %s\n", quicker ? "yes" : "no");
    printf("our difference of identical commands has the smaller deviation: %s\n",
           steadier ? "yes" : "no");
    return !(quicker && steadier);
}

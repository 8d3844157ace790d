// fuzz: how fast tensors are made, next to memset.
//
//     fuzz speed [--quick]    f32 in [0, 1), 64 MiB: memory that is mapped, and memory that is not
//     yet fuzz make               reads samples, a line each, and prints the seconds to make their
//     tensors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/stats/stats.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/fill.h"
#include "inputs/tensors/storage.h"
#include "inputs/tensors/tensor.h"

enum { ROUNDS = 41, QUICK_ROUNDS = 15 };
static const size_t BYTES = (size_t)64 << 20;
static const double MAPPED_GOAL = .35, FRESH_GOAL = .8;

static struct tensor_description description;
static struct fill fill;
static struct storage mapped;

// CPU time of this thread, the kernel's part included: other load matters less.
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(struct bilanx_error error)
{
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static void mapped_memset(int round)
{
    memset(mapped.memory, round, BYTES);
}

static void mapped_tensor(int round)
{
    (void)round;
    fill_elements(&fill, 0, BYTES / sizeof(float), mapped.memory);
}

// With huge pages, as ours.
static void fresh_memset(int round)
{
    struct storage storage;
    check(storage_make(BYTES, STORAGE_HUGE, &storage));
    memset(storage.memory, round, BYTES);
    storage_done(&storage);
}

static void fresh_tensor(int round)
{
    (void)round;
    DLManagedTensor *tensor;
    check(tensor_make(&description, &tensor));
    tensor_free(tensor);
}

// As malloc() gives it.
static void small_pages_memset(int round)
{
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    memset(memory, round, BYTES);
    munmap(memory, BYTES);
}

static const struct way {
    const char *name;
    void (*run)(int round);
} ways[] = {
    {"memset, mapped", mapped_memset},
    {"tensor, mapped", mapped_tensor},
    {"memset, fresh", fresh_memset},
    {"tensor, fresh", fresh_tensor},
    {"memset, fresh, small pages", small_pages_memset},
};
enum { WAYS = sizeof ways / sizeof *ways };

// The median of the ratios of neighbours in time.
static double ratio(const double *theirs, const double *ours, int rounds)
{
    double ratios[ROUNDS];
    for (int i = 0; i < rounds; i++)
        ratios[i] = theirs[i] / ours[i];
    stats_sort(ratios, (size_t)rounds);
    return stats_quantile(ratios, (size_t)rounds, .5);
}

static int speed(int rounds)
{
    static double seconds[WAYS][ROUNDS];
    check(storage_make(BYTES, STORAGE_HUGE, &mapped));
    memset(mapped.memory, 0, BYTES);
    for (int round = -1; round < rounds; round++)
        for (int way = 0; way < WAYS; way++) {
            double start = cpu_seconds();
            ways[way].run(round);
            if (round >= 0)  // the first one warms up
                seconds[way][round] = cpu_seconds() - start;
        }
    double of_mapped = ratio(seconds[0], seconds[1], rounds);
    double of_fresh = ratio(seconds[2], seconds[3], rounds);
    printf("float32 in [0, 1), 64 MiB, one core, median of %d rounds\n", rounds);
    for (int way = 0; way < WAYS; way++) {
        stats_sort(seconds[way], (size_t)rounds);
        printf("%-28s %6.2f GB/s\n", ways[way].name,
               (double)BYTES / 1e9 / stats_quantile(seconds[way], (size_t)rounds, .5));
    }
    printf("mapped: %.0f %% of memset's speed; at least %.0f %%: %s\n", 100 * of_mapped,
           100 * MAPPED_GOAL, of_mapped >= MAPPED_GOAL ? "yes" : "no");
    printf("fresh: %.0f %% of memset's speed; at least %.0f %%: %s\n", 100 * of_fresh,
           100 * FRESH_GOAL, of_fresh >= FRESH_GOAL ? "yes" : "no");
    storage_done(&mapped);
    return of_mapped >= MAPPED_GOAL && of_fresh >= FRESH_GOAL ? 0 : 1;
}

static int make(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        double seconds = 0;
        AUTO(sample) struct sample sample = {0};
        line[strcspn(line, "\n")] = '\0';
        check(sample_read(line, &sample));
        for (size_t i = 0; i < sample.tensor_count; i++) {
            DLManagedTensor *tensor;
            double start = cpu_seconds();
            check(tensor_make(&sample.tensors[i], &tensor));
            tensor_free(tensor);
            seconds += cpu_seconds() - start;
        }
        printf("%.9f\n", seconds);
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "make") == 0)
        return make();
    description = (struct tensor_description){.dtype = dtype_find("f32")->type,
                                              .dimensions = 1,
                                              .shape = {(int64_t)(BYTES / sizeof(float))},
                                              .strides = {1},
                                              .steps = {1},
                                              .high = 1};
    fill_init(&fill, &description);
    return speed(argc > 2 && strcmp(argv[2], "--quick") == 0 ? QUICK_ROUNDS : ROUNDS);
}

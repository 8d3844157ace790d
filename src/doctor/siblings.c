// siblings: determines by experiment which CPU shares its core with the measuring one.
#include "siblings.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/timer/core_floor.h"
#include "core/timer/reference.h"

enum { MOST_CPUS = 2, SLICES = 12, READINGS = 10000 };
static const double SLICE_NS = 20e6;

struct readings {
    struct pace *items;
    size_t count;
};

enum siblings_answer siblings_judge(double free_without, double free_with)
{
    static const double SOMETIMES = .1, MUCH_LESS = .25;
    if (free_without < SOMETIMES)
        return SIBLINGS_UNKNOWN;
    return free_with < MUCH_LESS * free_without ? SIBLINGS_YES : SIBLINGS_NO;
}

static void read_slice(const struct clock *clock, struct readings *readings)
{
    uint64_t start = clock_read(clock);
    while (clock_ns(clock, clock_read(clock) - start) < SLICE_NS && readings->count < READINGS)
        readings->items[readings->count++] = reference_pace(clock);
}

// Keeps a CPU busy while `*busy` is set, until the parent ends.
static void keep_busy(int cpu, const atomic_bool *busy)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sched_setaffinity(0, sizeof one, &one);
    for (;;) {
        if (!atomic_load(busy))
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        for (int i = 0; i < 1000 && atomic_load(busy); i++)
            __asm__ volatile(".rept 64\n\tnop\n\t.endr");
    }
}

// Alternates between slices without and with a load on the other CPU.
static bool read_both(const struct clock *clock, int other, struct readings readings[2])
{
    atomic_bool *busy =
        mmap(NULL, sizeof *busy, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (busy == MAP_FAILED)
        return false;
    pid_t child = fork();
    if (child == 0)
        keep_busy(other, busy);
    for (int i = 0; child > 0 && i < SLICES; i++) {
        atomic_store(busy, i % 2);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);  // time to notice
        readings[i % 2].items =
            mem_resized(readings[i % 2].items,
                        (readings[i % 2].count + READINGS) * sizeof *readings[i % 2].items);
        struct readings slice = {readings[i % 2].items + readings[i % 2].count, 0};
        read_slice(clock, &slice);
        readings[i % 2].count += slice.count;
    }
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    munmap(busy, sizeof *busy);
    return child > 0;
}

static void compare_with(const struct clock *clock, int other, struct core_floor *floor,
                         struct bilanx_doctor_core *out)
{
    struct readings readings[2] = {{0}};
    if (read_both(clock, other, readings)) {
        double lowest = pace_lowest(readings[0].items, readings[0].count);
        double front = pace_lower_floor(core_floor_get(floor), lowest);
        struct pace_summary without = pace_summarize(readings[0].items, readings[0].count, front);
        struct pace_summary with = pace_summarize(readings[1].items, readings[1].count, front);
        core_floor_note(floor, &without);
        out->free = without.free;
        enum siblings_answer answer = siblings_judge(without.free, with.free);
        out->known |= answer != SIBLINGS_UNKNOWN;
        if (answer == SIBLINGS_YES) {
            out->sibling = other;
            out->free_beside_load = with.free;
        }
    }
    free(readings[0].items);
    free(readings[1].items);
}

void siblings_measure(const struct clock *clock, int cpu, const cpu_set_t *allowed,
                      struct bilanx_doctor_core *out)
{
    struct core_floor floor;
    core_floor_load(&floor);
    *out = (struct bilanx_doctor_core){.sibling = -1, .free = NAN, .free_beside_load = NAN};
    int tried = 0;
    for (int other = CPU_SETSIZE - 1; other >= 0 && tried < MOST_CPUS && out->sibling < 0; other--)
        if (other != cpu && CPU_ISSET(other, allowed)) {
            compare_with(clock, other, &floor, out);
            tried++;
        }
    out->tried = tried;
    out->floor = floor.front;
    out->doubtful = core_floor_is_doubtful(&floor);
    memcpy(out->since, floor.since, sizeof out->since);
    if (!out->doubtful)
        core_floor_save(&floor);
}

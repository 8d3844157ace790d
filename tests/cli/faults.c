// faults: a benchmark program in which almost every case fails, each in its own way.
#include <bilanx/bench.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "marks.h"

static void crash(void)
{
    fflush(NULL);
    abort();
}

// A loop that can be measured.
#define FINE       \
    BILANX_LOOP(b) \
    BILANX_CLOBBER()

BILANX_BENCH(crash)
{
    BILANX_LOOP(b)
        crash();
}

BILANX_BENCH(crash_setup)
{
    printf("to stdout\n");
    fprintf(stderr, "about to die\n");
    crash();
    FINE;
}

BILANX_BENCH(crash_teardown)
{
    FINE;
    crash();
}

BILANX_BENCH(hang)
{
    mark("hang");
    BILANX_LOOP(b)
        pause();
}

BILANX_BENCH(leaves)
{
    BILANX_LOOP(b)
        exit(3);
}

BILANX_BENCH(skips)
{
    bilanx_skip(b, "no %s here", "gpu");
    FINE;
}

BILANX_BENCH(fails)
{
    FINE;
    bilanx_fail(b, "the sum is %d", 7);
}

BILANX_BENCH(fails_inside)
{
    BILANX_LOOP(b)
        bilanx_fail(b, "inside");
}

BILANX_BENCH(breaks)
{
    BILANX_LOOP(b)
        break;
}

BILANX_BENCH(returns)
{
    BILANX_LOOP(b)
        return;
}

BILANX_BENCH(no_loop)
{
    (void)b;
}

BILANX_BENCH(no_timed)
{
    BILANX_BATCHES(b)
        BILANX_CLOBBER();
}

BILANX_BENCH(bad_arg, 1)
{
    int64_t n = bilanx_arg(b, 2);
    BILANX_LOOP(b)
        BILANX_KEEP(n);
}

BILANX_BENCH(bad_args)
{
    int64_t n = bilanx_arg(b, 2);
    BILANX_LOOP(b)
        BILANX_KEEP(n);
}
BILANX_CASES(bad_args)
{
    bilanx_case(d, 3, 4);
}

BILANX_BENCH(no_arg)
{
    int64_t n = bilanx_arg_named(b, "missing");
    BILANX_LOOP(b)
        BILANX_KEEP(n);
}

BILANX_BENCH(bad_name, 1)
{
    int64_t n = bilanx_arg_named(b, "missing");
    BILANX_LOOP(b)
        BILANX_KEEP(n);
}

BILANX_BENCH(manual_nan)
{
    BILANX_LOOP(b)
        bilanx_manual_time(b, (double)NAN);
}

BILANX_BENCH(manual_zero)
{
    BILANX_LOOP(b)
        bilanx_manual_time(b, 0);
}

BILANX_BENCH(thread_leaves)
{
    if (bilanx_thread_index(b) == 1)
        return;
    FINE;
}
BILANX_CASES(thread_leaves)
{
    bilanx_threads(d, 2);
}

BILANX_BENCH(thread_skips)
{
    if (bilanx_thread_index(b) == 2)
        bilanx_skip(b, "thread 2 does not want");
    FINE;
}
BILANX_CASES(thread_skips)
{
    bilanx_threads(d, 3);
}

BILANX_BENCH(thread_crashes)
{
    BILANX_LOOP(b)
        if (bilanx_thread_index(b) == 1)
            crash();
}
BILANX_CASES(thread_crashes)
{
    bilanx_threads(d, 2);
}

// Deletes its program before the second process starts.
BILANX_BENCH(vanishes)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (getenv("VANISH") && size > 0) {
        self[size] = '\0';
        unlink(self);
    }
    FINE;
}

// Leaves a process behind that would sleep for a minute.
BILANX_BENCH(orphan)
{
    if (fork() == 0) {
        mark("orphan");
        sleep(60);
        _exit(0);
    }
    FINE;
}

static void stray(void)
{
    if (fork() == 0) {
        setsid();
        sleep(60);
        _exit(0);
    }
}

BILANX_BENCH(strays)
{
    BILANX_LOOP(b)
        stray();
}

// Forks of the other thread come from a process that has only this thread.
BILANX_BENCH(thread_strays)
{
    BILANX_LOOP(b)
        if (bilanx_thread_index(b) == 1 && fork() == 0)
            continue;
}
BILANX_CASES(thread_strays)
{
    bilanx_threads(d, 2);
}

BILANX_BENCH(fine)
{
    FINE;
}

BILANX_MAIN()

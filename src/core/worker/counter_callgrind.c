// counter_callgrind: counts instructions with valgrind's callgrind, under which this process runs.
//
// Nothing is instrumented before the first case, so a worker loads its libraries several times
// faster. From then on everything is: each change of instrumentation makes valgrind retranslate all
// code, 40 ms per case. Collection is on from the last instruction of start() to the first of
// stop(). What lies between these and the loop is the same for every statement, and is in the
// baseline too.
//
// Collection is a per-thread state. New threads collect, because this process was started with
// --collect-atstart. These are the threads of a parallel statement, which only work while the
// loop's thread waits for them. We switch only the loop's thread.
#include "counters.h"

#include <signal.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#ifdef CALLGRIND_TOGGLE_COLLECT

void counter_callgrind_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;  // outside valgrind, these are a few no-ops
    CALLGRIND_TOGGLE_COLLECT;
}

void counter_callgrind_end(void)
{
    if (RUNNING_ON_VALGRIND)
        kill(getpid(), SIGKILL);  // else valgrind would write everything again: 2 ms
}

static struct bilanx_error open_callgrind(void **state)
{
    *state = NULL;
    if (!RUNNING_ON_VALGRIND)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "callgrind can only count programs that run under valgrind");
    return BILANX_SUCCESS;
}

static void callgrind_toggle(void *state)
{
    (void)state;
    CALLGRIND_TOGGLE_COLLECT;
}

static void dump(void *state)
{
    (void)state;
    CALLGRIND_DUMP_STATS_AT("bilanx");
}

#else

void counter_callgrind_begin(void)
{
}

void counter_callgrind_end(void)
{
}

static struct bilanx_error open_callgrind(void **state)
{
    (void)state;
    return bilanx_error_make(BILANX_E_FAILED, "this worker was built without valgrind's headers");
}

static void callgrind_toggle(void *state)
{
    (void)state;
}

static void dump(void *state)
{
    (void)state;
}

#endif

static void close_callgrind(void *state)
{
    (void)state;
}

static void answer(void *state, struct text *out)
{
    (void)state;
    (void)out;
}

const struct counter counter_callgrind = {
    .name = "callgrind",
    .all_threads = true,
    .open = open_callgrind,
    .start = callgrind_toggle,
    .stop = callgrind_toggle,
    .discard = dump,  // CALLGRIND_ZERO_STATS leaves a few instructions behind; a dump does not
    .repeat = dump,
    .answer = answer,
    .close = close_callgrind,
};

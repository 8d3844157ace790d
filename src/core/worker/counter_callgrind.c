// counter_callgrind: instructions, by valgrind's callgrind, under which this process runs.
//
// Until the first case nothing is instrumented: what a worker loads runs several times as fast
// then. From there on everything is, as each change of that has all code translated again: 40 ms a
// case. Collection is on from the last instruction of start() to the first of stop(): what lies
// between these and the loop is the same for every statement, and in the baseline, too.
//
// Whether to collect is a thread's own state, and one that is started collects, as this process was
// told to when it was (--collect-atstart): the threads of a parallel statement, which only work
// while the loop's thread waits for them. That one alone is switched.
#include "counters.h"

#include <signal.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#ifdef CALLGRIND_TOGGLE_COLLECT

void counter_callgrind_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;  // elsewhere these are a few idle instructions
    CALLGRIND_TOGGLE_COLLECT;
}

void counter_callgrind_end(void)
{
    if (RUNNING_ON_VALGRIND)
        kill(getpid(), SIGKILL);  // or it would sum up and write everything once more: 2 ms
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
    .discard = dump,  // CALLGRIND_ZERO_STATS leaves a few instructions behind, a dump does not
    .repeat = dump,
    .answer = answer,
    .close = close_callgrind,
};

// loop: times a body batch by batch.
#include "loop.h"

#include <sched.h>
#include <sys/resource.h>

static long involuntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

// A system call leaves a trace: after one, strlen on Zen 5 takes 8 cycles instead of 6 for as long
// as a batch lasts, and in the next batches too. Code that is called in a hot loop does not pay for
// that. So an epoch asks the kernel about one short batch in eight, and about those that took long.
enum { ONE_IN = 8 };
static const double LONG_NS = 500e3;

static bool is_watched(const struct loop *loop)
{
    return !loop->sparing || loop->unwatched + 1 >= ONE_IN || !(loop->shortest_ns > 0) ||
           loop->last_ns > LONG_NS;
}

static bool took_long(struct loop *loop, double ns)
{
    static const double USUAL = 1.1;  // an interruption by another process takes longer
    double per_call = ns / (double)loop->n;
    if (!(loop->shortest_ns > 0) || per_call < loop->shortest_ns)
        loop->shortest_ns = per_call;
    loop->last_ns = ns;
    return per_call > USUAL * loop->shortest_ns;
}

static bool is_disturbed(struct loop *loop, bool asks)
{
    long switches = asks ? involuntary_switches() : loop->switches;
    bool disturbed = switches != loop->switches || sched_getcpu() != loop->cpu;
    loop->switches = switches;
    return disturbed;
}

static void end_batch(struct loop *loop, struct batch *out)
{
    if (loop->timing)
        loop_pause(loop);
    *out = (struct batch){.n = loop->n, .ns = clock_ns(loop->clock, loop->ticks)};
    if (loop->manual) {
        out->ns = loop->manual_ns;
        out->manual = true;
    }
    bool long_one = took_long(loop, out->ns);
    if (loop->method && loop->method->cpu_per_batch)
        out->cpu_ns = loop->watched ? (double)(clock_cpu_ns() - loop->cpu_started_ns) : -1;
    if (loop->method && loop->method->watches)
        out->disturbed = is_disturbed(loop, loop->watched || long_one);
}

static void begin_batch(struct loop *loop)
{
    loop->ticks = 0;
    loop->begun = 0;
    loop->manual_ns = 0;
    loop->watched = is_watched(loop);
    loop->unwatched = loop->watched ? 0 : loop->unwatched + 1;
    if (loop->method && loop->method->watches) {
        loop->switches = loop->watched ? involuntary_switches() : loop->switches;
        loop->cpu = sched_getcpu();
    }
    if (loop->watched && loop->method && loop->method->cpu_per_batch)
        loop->cpu_started_ns = clock_cpu_ns();
}

uint64_t loop_stage(struct loop *loop)
{
    struct batch last;
    bool first = loop->n == 0;
    if (!first)
        end_batch(loop, &last);
    loop->n = loop->decide(loop->context, first ? NULL : &last);
    if (loop->n)
        begin_batch(loop);
    return loop->n;
}

void loop_resume(struct loop *loop)
{
    loop->timing = true;
    if (loop->meter) {
        loop->meter->start(loop->meter->context);
        return;
    }
    if (loop->around)
        loop->around->start(loop->around->context);
    loop->started = clock_read(loop->clock);
    if (!loop->begun)
        loop->begun = loop->started;
}

void loop_pause(struct loop *loop)
{
    if (loop->meter) {
        loop->meter->stop(loop->meter->context);
        loop->timing = false;
        return;
    }
    uint64_t now = clock_read(loop->clock);
    loop->ticks += now - loop->started;
    loop->timing = false;
    if (loop->around)
        loop->around->stop(loop->around->context);
}

uint64_t loop_next(struct loop *loop)
{
    if (loop->timing)
        loop_pause(loop);
    uint64_t n = loop_stage(loop);
    if (n)
        loop_resume(loop);
    return n;
}

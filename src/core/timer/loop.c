// loop: times a body batch by batch.
#include "loop.h"

#include <sched.h>
#include <sys/resource.h>

static long involuntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
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
    if (loop->method && loop->method->cpu_per_batch)
        out->cpu_ns = (double)(clock_cpu_ns() - loop->cpu_started_ns);
    if (loop->method && loop->method->watches)
        out->disturbed = involuntary_switches() != loop->switches || sched_getcpu() != loop->cpu;
}

static void begin_batch(struct loop *loop)
{
    loop->ticks = 0;
    loop->begun = 0;
    loop->manual_ns = 0;
    if (loop->method && loop->method->watches) {
        loop->switches = involuntary_switches();
        loop->cpu = sched_getcpu();
    }
    if (loop->method && loop->method->cpu_per_batch)
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

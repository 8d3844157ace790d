// epoch: what the batches of one process amount to.
#include "epoch.h"

#include "timer/reference.h"

struct epoch_watch epoch_begin(struct clock *clock, bool alone)
{
    clock_refine(clock);
    double kernel_ns = alone ? 0 : reference_kernel(clock);
    return (struct epoch_watch){
        .tick = clock_read(clock), .cpu_ns = clock_cpu_ns(), .kernel_ns = kernel_ns};
}

void epoch_end(const struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               bool alone, struct epoch_report *out)
{
    double wall_ns = clock_ns(clock, clock_read(clock) - watch->tick);
    double cpu_share = wall_ns > 0 ? (double)(clock_cpu_ns() - watch->cpu_ns) / wall_ns : 0;
    // By now the length of a tick is known a hundred times better than when it was first used.
    double tick_before = clock->ns_per_tick;
    clock_refine(clock);
    double seconds = (stepper->manual ? 1 : clock->ns_per_tick / tick_before) / 1e9;
    for (size_t i = 0; i < stepper->count; i++)
        stepper->times_ns[i] *= seconds;
    struct reference reference = {0};
    if (!alone)
        reference = reference_measure(clock);
    *out = (struct epoch_report){
        .number = stepper->n,
        .epoch = bilanx_epoch_make(stepper->times_ns, stepper->count, stepper->n),
        .empty_loop_ns = reference.empty_loop_ns,
        .kernel_ns =
            reference.kernel_ns > watch->kernel_ns ? reference.kernel_ns : watch->kernel_ns,
    };
    out->epoch.disturbed = stepper->disturbed;
    out->cpu_ns = cpu_share * out->epoch.time * (double)stepper->n * 1e9;
}

double epoch_spent_ns(const struct epoch_report *report)
{
    return report->epoch.time * 1e9 * (double)(report->number * report->epoch.batches);
}

// measure: measures for five seconds of CPU time on the measuring CPU.
#include <math.h>
#include <sched.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/want.h"
#include "batches.h"
#include "checks.h"
#include "gaps.h"
#include "siblings.h"

enum {
    WATCH_SLICES = 22,  // 2.2 s of watching; the batches take another 2.5 s
    GAP_ROOM = 1 << 17,
};
#define SLICE_NS 100e6  // a ^C may go unnoticed this long

static const struct bilanx_error interrupted = {BILANX_E_INTERRUPTED, "interrupted"};

static void report(const struct bilanx_doctor_options *options, double share)
{
    if (options && options->progress)
        options->progress(options->context, share);
}

static void measure_clocks(const struct clock *best, struct bilanx_doctor_figures *figures)
{
    struct clock clocks[2] = {*best};
    figures->clock_count = 1;
    if (best->counts_cycles)
        clock_open_monotonic(&clocks[figures->clock_count++]);
    for (size_t i = 0; i < figures->clock_count; i++) {
        struct clock_quality quality;
        clock_measure(&clocks[i], &quality);
        figures->clocks[i] = (struct bilanx_doctor_clock){
            .name = clocks[i].name,
            .cost_ns = quality.cost_ns,
            .resolution_ns = quality.resolution_ns,
        };
    }
}

static struct bilanx_error measure_gaps(const struct bilanx_doctor_options *options,
                                        const struct machine *machine, struct clock *clock,
                                        struct bilanx_doctor_figures *figures)
{
    double before = 0, after = 0;
    AUTO(gaps) struct gaps gaps;
    gaps_init(&gaps, GAP_ROOM);
    bool known = machine_waited(machine, &before);
    for (int i = 0; i < WATCH_SLICES; i++) {
        if (interrupt_caught())
            return interrupted;
        report(options, 0.47 * i / WATCH_SLICES);
        gaps_watch(&gaps, clock, SLICE_NS);
        clock_refine(clock);
    }
    known = known && machine_waited(machine, &after);
    figures->waited = known ? (after - before) / gaps.watched_ns : NAN;
    figures->gaps = gaps_summarize(&gaps);
    return BILANX_SUCCESS;
}

static struct bilanx_error measure_batches(const struct bilanx_doctor_options *options,
                                           const struct clock *clock,
                                           struct bilanx_doctor_figures *figures)
{
    AUTO(batches) struct batches batches;
    batches_init(&batches, clock);
    while (batches.epochs < BATCH_EPOCHS) {
        if (interrupt_caught())
            return interrupted;
        report(options, 0.47 + 0.53 * (double)batches.epochs / BATCH_EPOCHS);
        batches_measure_epoch(&batches, clock);
    }
    figures->batches[BILANX_DOCTOR_SHORT] = batches_summarize(
        batches.short_ns, batches.epochs, BATCH_EPOCH_LONG * BATCH_RATIO, BATCH_SHORT_NS);
    figures->batches[BILANX_DOCTOR_LONG] = batches_summarize(
        batches.long_ns, batches.epochs, BATCH_EPOCH_LONG, BATCH_SHORT_NS * BATCH_RATIO);
    return BILANX_SUCCESS;
}

static struct bilanx_error measure(const struct bilanx_doctor_options *options,
                                   const struct machine *machine, const cpu_set_t *allowed,
                                   struct bilanx_doctor_figures *figures)
{
    uint64_t steal[2], total[2];
    bool steal_known = machine_steal(machine, &steal[0], &total[0]);
    uint64_t start = monotonic_ns();
    struct clock clock;
    clock_open(&clock);
    BILANX_TRY(measure_gaps(options, machine, &clock, figures));
    measure_clocks(&clock, figures);  // last, because by now the clock knows its tick well
    BILANX_TRY(measure_batches(options, &clock, figures));
    siblings_measure(&clock, machine->cpu, allowed, &figures->core);
    figures->elapsed_ns = (double)(monotonic_ns() - start);
    steal_known = steal_known && machine_steal(machine, &steal[1], &total[1]);
    figures->steal = steal_known && total[1] > total[0]
                         ? (double)(steal[1] - steal[0]) / (double)(total[1] - total[0])
                         : NAN;
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_doctor_measure(const struct bilanx_doctor_options *options,
                                          struct bilanx_doctor *doctor)
{
    WANT(doctor);
    struct machine machine;
    machine_look(options && options->root ? options->root : "", &machine);
    cpu_set_t before, one;
    CPU_ZERO(&before);
    bool pinned = machine.cpu >= 0 && sched_getaffinity(0, sizeof before, &before) == 0;
    if (pinned) {
        CPU_ZERO(&one);
        CPU_SET(machine.cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    struct bilanx_doctor_figures figures = {0};
    struct bilanx_error error = measure(options, &machine, &before, &figures);
    if (pinned)
        sched_setaffinity(0, sizeof before, &before);
    BILANX_TRY(error);
    doctor->cpu = machine.cpu;
    doctor->figures = figures;
    doctor->measured = true;
    figures_judge(doctor, machine.hypervisor[0] != '\0');
    return BILANX_SUCCESS;
}

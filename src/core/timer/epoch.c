// epoch: summarizes the batches of one process.
#include "epoch.h"

#include "core/timer/reference.h"

void epoch_begin(struct epoch_watch *watch, struct clock *clock, bool alone)
{
    epoch_done(watch);
    clock_refine(clock);
    *watch = (struct epoch_watch){.tick = clock_read(clock),
                                  .cpu_ns = clock_cpu_ns(),
                                  .alone = alone,
                                  .read_pace = reference_pace};
}

void epoch_done(struct epoch_watch *watch)
{
    pace_log_done(&watch->log);
}

static void read_pace(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper)
{
    struct pace_log *log = &watch->log;
    pace_log_add(log, watch->read_pace(clock), stepper->count);
    struct pace wanted = stepper->options.wanted;
    if (log->count > 1 && !(pace_same(log->readings[log->count - 2], wanted) &&
                            pace_same(log->readings[log->count - 1], wanted)))
        stepper->off_pace_ns += stepper->spent_ns - watch->read_ns;
    watch->read_tick = clock_read(clock);
    watch->read_ns = stepper->spent_ns;
}

uint64_t epoch_next(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                    const struct batch *last)
{
    uint64_t n = stepper_next(stepper, last);
    if (stepper->stage != STEPPER_MEASURE || watch->alone)
        return n;
    double every_ns = stepper->options.pace_every_ns;
    if (watch->log.count == 0 ||
        (every_ns > 0 && clock_ns(clock, clock_read(clock) - watch->read_tick) >= every_ns))
        read_pace(watch, clock, stepper);
    return n;
}

// Moves the stepper's valid batches to the front. Returns their pace.
static struct pace settle_pace(const struct pace_log *log, struct stepper *stepper)
{
    const struct pace *readings = log->readings;
    if (log->count == 0)
        return (struct pace){0};
    if (stepper->options.pace_every_ns == 0) {
        double before = readings[0].chain_ns, after = readings[log->count - 1].chain_ns;
        return (struct pace){.chain_ns = before > after ? before : after};
    }
    struct pace pace = pace_log_choose(log, stepper->options.wanted);
    if (!stepper->manual)
        stepper->count = pace_log_keep(log, pace, stepper->times_ns);
    return pace.chain_ns > 0 ? pace : pace_usual(readings, log->count);
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : 0;
}

void epoch_end(struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               struct epoch_report *out)
{
    if (!watch->alone)
        read_pace(watch, clock, stepper);
    double wall_ns = clock_ns(clock, clock_read(clock) - watch->tick);
    double cpu_share = wall_ns > 0 ? (double)(clock_cpu_ns() - watch->cpu_ns) / wall_ns : 0;
    // By now, we know the length of a tick a hundred times better than at first.
    double tick_before = clock->ns_per_tick;
    clock_refine(clock);
    double seconds = (stepper->manual ? 1 : clock->ns_per_tick / tick_before) / 1e9;
    for (size_t i = 0; i < stepper->count; i++)
        stepper->times_ns[i] *= seconds;
    size_t batches = stepper->count;
    double mean_s = mean(stepper->times_ns, batches);
    struct pace pace = settle_pace(&watch->log, stepper);
    struct reference reference = {0};
    if (!watch->alone)
        reference = reference_measure(clock);
    *out = (struct epoch_report){
        .number = stepper->n,
        .epoch = bilanx_epoch_make(stepper->times_ns, stepper->count, stepper->n),
        .empty_loop_ns = reference.empty_loop_ns,
        .pace = pace,
    };
    out->epoch.off_pace = batches - stepper->count;
    out->epoch.disturbed = stepper->disturbed;
    out->epoch.reference = pace.chain_ns / 1e9;
    // Of all batches: those that had to wait for the CPU lowered the share.
    out->cpu_ns = cpu_share * mean_s * 1e9;
    epoch_done(watch);
}

double epoch_spent_ns(const struct epoch_report *report)
{
    const struct bilanx_epoch *epoch = &report->epoch;
    return epoch->time * 1e9 * (double)(report->number * (epoch->batches + epoch->off_pace));
}

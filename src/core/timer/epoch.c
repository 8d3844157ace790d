// epoch: summarises the batches of one process.
#include "epoch.h"

#include "base/mem.h"
#include "core/stats/stats.h"
#include "core/timer/reference.h"

// The core changes hands within a millisecond: readings before and after a longer batch say little
// about the time between them.
static const double LONGEST_BATCH_NS = 500e3;
enum { FEWEST = 4 };  // batches that make a part

void epoch_begin(struct epoch_watch *watch, struct clock *clock, bool alone)
{
    epoch_done(watch);
    clock_refine(clock);
    *watch = (struct epoch_watch){
        .tick = clock_read(clock), .alone = alone, .read_pace = reference_pace};
}

void epoch_done(struct epoch_watch *watch)
{
    pace_log_done(&watch->log);
}

bool epoch_reads_pace(const struct epoch_watch *watch, const struct stepper *stepper)
{
    return !watch->alone && !stepper->manual && stepper->options.pace_every_ns > 0;
}

static void read_pace(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper)
{
    struct pace_log *log = &watch->log;
    double floor = stepper->options.floor;
    pace_log_add(log, watch->read_pace(clock), stepper->count);
    if (log->count > 1 && floor > 0 &&
        pace_state(log->readings[log->count - 2], log->readings[log->count - 1], floor) !=
            CORE_FREE)
        stepper->shared_ns += stepper->spent_ns - watch->read_ns;
    watch->read_tick = clock_read(clock);
    watch->read_ns = stepper->spent_ns;
}

uint64_t epoch_next(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                    const struct batch *last)
{
    uint64_t n = stepper_next(stepper, last);
    if (stepper->stage != STEPPER_MEASURE || !epoch_reads_pace(watch, stepper))
        return n;
    if (watch->log.count == 0 ||
        clock_ns(clock, clock_read(clock) - watch->read_tick) >= stepper->options.pace_every_ns)
        read_pace(watch, clock, stepper);
    return n;
}

// Returns whether batches can be told apart by the readings around them.
static bool has_states(const struct epoch_watch *watch, const struct stepper *stepper)
{
    size_t long_ones = 0;
    for (size_t i = 0; i < stepper->count; i++)
        long_ones += stepper->times_ns[i] > LONGEST_BATCH_NS;
    return watch->log.count > 1 && !stepper->manual && !stepper->options.any_core &&
           2 * long_ones < stepper->count;
}

static double floor_of(const struct pace_log *log, const struct stepper *stepper)
{
    return pace_lower_floor(stepper->options.floor, pace_lowest(log->readings, log->count));
}

void epoch_settle(struct epoch_watch *watch, const struct clock *clock, struct stepper *stepper,
                  struct pace_summary *core)
{
    enum { FEWEST_CALLS = 1000 };  // for a percentile of 99.9
    const struct pace_log *log = &watch->log;
    *core = (struct pace_summary){0};
    if (!epoch_reads_pace(watch, stepper))
        return;
    read_pace(watch, clock, stepper);
    double floor = floor_of(log, stepper), chain_ns;
    *core = pace_summarize(log->readings, log->count, floor);
    AUTO(memory) bool *marked = mem_array(bool, stepper->count + 1);
    size_t free = pace_log_mark(log, floor, CORE_FREE, marked, &chain_ns), kept = 0;
    stepper->chosen =
        stepper->options.method->one_call && has_states(watch, stepper) && free >= FEWEST_CALLS;
    for (size_t i = 0; i < stepper->count && stepper->chosen; i++)
        if (marked[i])
            stepper->times_ns[kept++] = stepper->times_ns[i];
    stepper->count = stepper->chosen ? kept : stepper->count;
    epoch_done(watch);
}

// Reading the CPU time twice takes as long as a percent of a batch.
static double cost_of_cpu_clock(void)
{
    enum { TRIES = 5 };
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = clock_cpu_ns(), cost_ns = clock_cpu_ns() - before;
        least_ns = cost_ns < least_ns ? cost_ns : least_ns;
    }
    return (double)least_ns;
}

// The middle batch of those whose CPU time was read: a guest's kernel charges time that the host
// took to whichever batch runs when it finds out. But it charges the time of other threads only
// occasionally, so with several threads the CPU time is the average over all batches.
static double cpu_share_of(const struct epoch_watch *watch, const struct stepper *stepper,
                           double *shares, size_t count)
{
    double wall_ns = 0, cpu_ns = 0;
    stats_sort(shares, count);
    if (epoch_reads_pace(watch, stepper) && count > 0)
        return stats_quantile(shares, count, .5);
    for (size_t i = 0; i < stepper->count; i++) {
        if (stepper->cpu_ns[i] < 0)
            continue;
        wall_ns += stepper->times_ns[i];
        cpu_ns += stepper->cpu_ns[i];
    }
    return wall_ns > 0 ? cpu_ns / wall_ns : 0;
}

static struct epoch_part make_part(const struct epoch_watch *watch, const struct stepper *stepper,
                                   const bool *marked, double seconds, double chain_ns)
{
    AUTO(memory) double *times = mem_array(double, stepper->count);
    AUTO(memory) double *cpu_shares = mem_array(double, stepper->count);
    double cost_ns = cost_of_cpu_clock();
    size_t kept = 0, read = 0;
    for (size_t i = 0; i < stepper->count; i++) {
        if (!marked[i])
            continue;
        double time_ns = stepper->times_ns[i], cpu_ns = stepper->cpu_ns[i];
        if (cpu_ns >= 0)
            cpu_shares[read++] = time_ns > 0 ? (cpu_ns - cost_ns) / time_ns : 0;
        times[kept++] = time_ns * seconds;
    }
    struct epoch_part part = {.epoch = bilanx_epoch_make(times, kept, stepper->n)};
    part.epoch.off_pace = stepper->count - kept;
    part.epoch.disturbed = stepper->disturbed;
    part.epoch.reference = stepper->manual ? 0 : chain_ns / 1e9;
    double share = cpu_share_of(watch, stepper, cpu_shares, read);
    part.cpu_ns = share > 0 ? share * part.epoch.time * (double)stepper->n * 1e9 : 0;
    return part;
}

static void divide(const struct epoch_watch *watch, const struct stepper *stepper, double seconds,
                   double floor, struct epoch_report *out)
{
    AUTO(memory) bool *marked = mem_array(bool, stepper->count + 1);
    double chain_ns;
    bool states = has_states(watch, stepper);
    out->has_states = states;
    if (states && pace_log_mark(&watch->log, floor, CORE_FREE, marked, &chain_ns) >= FEWEST)
        out->free = make_part(watch, stepper, marked, seconds, chain_ns);
    if (states && pace_log_mark(&watch->log, floor, CORE_SHARED, marked, &chain_ns) >= FEWEST)
        out->other = make_part(watch, stepper, marked, seconds, chain_ns);
    if (out->free.epoch.batches || out->other.epoch.batches)
        return;
    pace_log_mark(&watch->log, floor, CORE_UNKNOWN, marked, &chain_ns);
    for (size_t i = 0; i < stepper->count; i++)
        marked[i] = true;
    out->other = make_part(watch, stepper, marked, seconds, chain_ns);
}

void epoch_end(struct epoch_watch *watch, struct clock *clock, struct stepper *stepper,
               struct epoch_report *out)
{
    if (epoch_reads_pace(watch, stepper))
        read_pace(watch, clock, stepper);
    // By now, we know the length of a tick a hundred times better than at first.
    double tick_before = clock->ns_per_tick;
    clock_refine(clock);
    double seconds = (stepper->manual ? 1 : clock->ns_per_tick / tick_before) / 1e9;
    const struct pace_log *log = &watch->log;
    double floor = floor_of(log, stepper);
    *out = (struct epoch_report){.number = stepper->n, .spent_ns = stepper->spent_ns};
    if (!stepper->manual)
        out->core = pace_summarize(log->readings, log->count, floor);
    divide(watch, stepper, seconds, floor, out);
    if (!watch->alone)
        out->empty_loop_ns = reference_measure(clock).empty_loop_ns;
    epoch_done(watch);
}

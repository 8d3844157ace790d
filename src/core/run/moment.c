// moment: drops epochs that were disturbed by the machine.
#include "moment.h"

// Most of the epoch ran at a different pace than the run: say, the core's frequency dropped by 5 %
// for a tenth of a second. With only two readings, before and after, all we can tell is that it was
// slow.
static bool was_off_pace(const struct progress *progress, const struct epoch_report *report)
{
    static const double SLOWER = 1.02;
    struct pace wanted = progress->pace->wanted;
    if (report->pace.wide_ns == 0)
        return wanted.chain_ns > 0 && report->pace.chain_ns > SLOWER * wanted.chain_ns;
    return !pace_same(report->pace, wanted);
}

// The machine changed during the epoch: its batches vary several times as much as in the calmest.
static bool spreads_much(struct progress *progress, const struct bilanx_epoch *epoch)
{
    static const double MUCH = 0.03, TIMES = 4;
    double spread = epoch->time > 0 ? (epoch->p75 - epoch->p25) / epoch->time : 0;
    bool first = progress->record.timing.epoch_count == 0;
    if (first || spread < progress->calmest)
        progress->calmest = spread;
    return spread > MUCH && spread > TIMES * progress->calmest;
}

// Drops no more epochs than it keeps, so a machine that does not calm down is measured as it is.
static bool may_redraw(const struct progress *progress, double epoch_ns,
                       const struct rigorous_options *rigorous)
{
    uint64_t redrawn = progress->record.redrawn - progress->redrawn_then;
    return redrawn < progress->record.timing.epoch_count + 2 &&
           rigorous_has_room(rigorous, &progress->record.timing, progress->spent_ns, epoch_ns);
}

// A disturbed epoch says more about the machine than about the code, so it is repeated. The
// decision ignores the case's own time, so we never discard anything due to the code.
//
// After too many repeats, the case is postponed if only the core's pace is to blame: that recovers
// within seconds.
static bool is_bad_moment(struct progress *progress, const struct epoch_report *report,
                          const struct rigorous_options *rigorous)
{
    bool off_pace = was_off_pace(progress, report);
    bool spreads = spreads_much(progress, &report->epoch);
    bool redraw = may_redraw(progress, epoch_spent_ns(report), rigorous);
    progress->postponed = off_pace && !redraw && progress->may_wait;
    return progress->postponed || ((off_pace || spreads) && redraw);
}

// If the run has settled on a different pace, drops this case's epochs at the old pace.
static void follow_pace(struct progress *progress, const struct epoch_report *report,
                        const struct rigorous_options *rigorous)
{
    struct bilanx_timing *timing = &progress->record.timing;
    struct pace wanted = progress->pace->wanted;
    bool changed = report->pace.wide_ns > 0 && !pace_same(progress->wanted, wanted);
    progress->wanted = wanted;
    for (size_t i = timing->epoch_count; changed && i-- > 0;) {
        struct pace pace = {.chain_ns = timing->epochs[i].reference * 1e9};
        if (pace_same(pace, wanted) || !may_redraw(progress, epoch_spent_ns(report), rigorous))
            continue;
        rigorous_drop(timing, i);
        progress->record.redrawn++;
        progress->wasted_ns += epoch_spent_ns(report);
    }
}

void moment_add(struct progress *progress, const struct epoch_report *report,
                const struct rigorous_options *rigorous)
{
    progress->spent_ns += epoch_spent_ns(report);
    pace_tracker_add(progress->pace, report->pace);
    follow_pace(progress, report, rigorous);
    if (is_bad_moment(progress, report, rigorous)) {
        progress->record.redrawn++;
        progress->wasted_ns += epoch_spent_ns(report);
        return;
    }
    rigorous_add(&progress->record.timing, report);
    double share = rigorous_share(rigorous, &progress->record.timing, progress->spent_ns);
    progress->share = share > progress->share ? share : progress->share;
    progress->done = share >= 1;
}

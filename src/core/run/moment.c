// moment: which epochs tell of the code, and which of the machine at that moment.
#include "moment.h"

// Most of the epoch ran at another pace than the run: a core whose clock went down by 5 % for a
// tenth of a second. Two readings, before and after, tell no more than that it was slow.
static bool was_off_pace(const struct progress *progress, const struct epoch_report *report)
{
    static const double SLOWER = 1.02;
    struct pace wanted = progress->pace->wanted;
    if (report->pace.wide_ns == 0)
        return wanted.chain_ns > 0 && report->pace.chain_ns > SLOWER * wanted.chain_ns;
    return !pace_same(report->pace, wanted);
}

// The machine changed within the epoch: its batches spread several times as much as those of the
// calmest.
static bool spreads_much(struct progress *progress, const struct bilanx_epoch *epoch)
{
    static const double MUCH = 0.03, TIMES = 4;
    double spread = epoch->time > 0 ? (epoch->p75 - epoch->p25) / epoch->time : 0;
    bool first = progress->record.timing.epoch_count == 0;
    if (first || spread < progress->calmest)
        progress->calmest = spread;
    return spread > MUCH && spread > TIMES * progress->calmest;
}

// As many epochs are kept as are not, so a machine that stays as it is is measured as it is.
static bool may_redraw(const struct progress *progress, double epoch_ns,
                       const struct rigorous_options *rigorous)
{
    uint64_t redrawn = progress->record.redrawn - progress->redrawn_then;
    return redrawn < progress->record.timing.epoch_count + 2 &&
           rigorous_has_room(rigorous, &progress->record.timing, progress->spent_ns, epoch_ns);
}

// Such an epoch tells of the machine, not of the code, and is drawn again. The case's own time is
// not looked at, so nothing that belongs to the code is thrown away.
//
// When too many were, another time is better: if only the clock of the core is to blame, it comes
// back within seconds.
static bool is_bad_moment(struct progress *progress, const struct epoch_report *report,
                          const struct rigorous_options *rigorous)
{
    bool off_pace = was_off_pace(progress, report);
    bool spreads = spreads_much(progress, &report->epoch);
    bool redraw = may_redraw(progress, epoch_spent_ns(report), rigorous);
    progress->postponed = off_pace && !redraw && progress->may_wait;
    return progress->postponed || ((off_pace || spreads) && redraw);
}

// The run has found that another pace is the usual one: what this case has at the old one goes.
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
    progress->done = rigorous_enough(rigorous, &progress->record.timing, progress->spent_ns);
}

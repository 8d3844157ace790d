// judge: turns the measured figures into findings.
//
// A loss or uncertainty below the smallest difference that a verdict claims counts as good.
#include "checks.h"

#include <math.h>
#include <stdio.h>

#include "core/stats/units.h"

#define CLAIM_MARGIN 0.0025

static const char *time_text(double ns, char out[UNITS_SIZE])
{
    return units_time(ns * 1e-9, ns * 1e-9 / 100, out);
}

// Shows two significant figures even for tiny shares: the spread of short batches is often tiny.
static const char *share_text(double share, char out[UNITS_SIZE])
{
    if (share >= 1e-3)
        return units_percent(share, out);
    snprintf(out, UNITS_SIZE, share > 0 && share < 1e-5 ? "under 0.001%%" : "%.2g%%", share * 100);
    return out;
}

static const char *round_time(double ns, char out[UNITS_SIZE])
{
    struct unit unit = units_for_time(ns * 1e-9);
    snprintf(out, UNITS_SIZE, "%.0f %s", ns * 1e-9 / unit.size, unit.name);
    return out;
}

static void judge_clock(const struct bilanx_doctor_figures *figures, bool virtual,
                        struct bilanx_finding *finding)
{
    (void)virtual;
    AUTO(text) struct text text = {0};
    for (size_t i = 0; i < figures->clock_count; i++) {
        char cost[UNITS_SIZE], step[UNITS_SIZE];
        const struct bilanx_doctor_clock *clock = &figures->clocks[i];
        text_format(&text, "%s%s: %s per read, steps of %s", i ? "; " : "", clock->name,
                    time_text(clock->cost_ns, cost), time_text(clock->resolution_ns, step));
    }
    if (figures->clocks[0].cost_ns < 100)
        finding_good(finding, "%s", text_get(&text));
    else
        finding_know(finding, "%s: too expensive for timing single short calls", text_get(&text));
}

static void judge_interruptions(const struct bilanx_doctor_figures *figures, bool virtual,
                                struct bilanx_finding *finding)
{
    (void)virtual;
    const struct bilanx_doctor_gaps *gaps = &figures->gaps;
    char median[UNITS_SIZE], max[UNITS_SIZE], share[UNITS_SIZE], least[UNITS_SIZE];
    if (gaps->count == 0) {
        finding_good(finding, "none over %s in %.1f s of busy looping",
                     round_time(gaps->threshold_ns, least), gaps->watched_ns * 1e-9);
        return;
    }
    (gaps->share < CLAIM_MARGIN ? finding_good : finding_know)(
        finding, "%.0f per second, median %s, longest %s: %s of the time lost", gaps->per_second,
        time_text(gaps->median_ns, median), time_text(gaps->max_ns, max),
        share_text(gaps->share, share));
}

static void judge_waiting(const struct bilanx_doctor_figures *figures, bool virtual,
                          struct bilanx_finding *finding)
{
    (void)virtual;
    char waited[UNITS_SIZE];
    if (isnan(figures->waited))
        finding_know(finding, "not readable here (no data in /proc/self/schedstat)");
    else if (figures->waited < CLAIM_MARGIN)
        finding_good(finding, "other processes used %s of this CPU",
                     share_text(figures->waited, waited));
    else
        finding_know(finding, "other processes used %s of this CPU: see load",
                     share_text(figures->waited, waited));
}

static void judge_core(const struct bilanx_doctor_figures *figures, bool virtual,
                       struct bilanx_finding *finding)
{
    (void)virtual;
    const struct bilanx_doctor_core *core = &figures->core;
    char free[UNITS_SIZE], loaded[UNITS_SIZE];
    if (core->doubtful)
        finding_know(finding,
                     "no reading is near the pace stored on %s: the core is shared all the time, "
                     "or the file 'cores' in the cache folder is wrong (remove it)",
                     core->since);
    else if (isnan(core->free))
        finding_know(finding, "not measured: there is no other CPU to load");
    else if (core->sibling >= 0)
        finding_know(finding,
                     "CPU %d is currently on the same core, whatever the topology says: while it "
                     "is busy, the core is free %s of the time, otherwise %s",
                     core->sibling, share_text(core->free_beside_load, loaded),
                     share_text(core->free, free));
    else if (!core->known)
        finding_know(finding, "free %s of the time: too rarely to tell who uses it",
                     share_text(core->free, free));
    else
        (core->free > .9 ? finding_good : finding_know)(
            finding, "free %s of the time; loading another CPU does not change that now",
            share_text(core->free, free));
}

static void judge_steal(const struct bilanx_doctor_figures *figures, bool virtual,
                        struct bilanx_finding *finding)
{
    if (isnan(figures->steal)) {
        finding_know(finding, "not readable here (no data in /proc/stat)");
        return;
    }
    double seen = figures->steal + (isnan(figures->waited) ? 0 : figures->waited);
    double unseen = figures->gaps.share - seen;
    char steal[UNITS_SIZE], lost[UNITS_SIZE];
    share_text(figures->steal, steal);
    if (virtual && unseen >= CLAIM_MARGIN)
        finding_know(finding, "the host reports %s, but another %s was lost unreported", steal,
                     share_text(unseen, lost));
    else if (figures->steal > 0)
        finding_know(finding, "the host gave %s of this CPU's time to other guests", steal);
    else
        finding_good(finding, "none");
}

// Describes what both lengths have in common, followed by `more`.
static void describe_batches(const struct bilanx_doctor_batches *batches, bool good,
                             const char *more, struct bilanx_finding *finding)
{
    char target[UNITS_SIZE], epoch[UNITS_SIZE], iqr[UNITS_SIZE], deviation[UNITS_SIZE];
    (good ? finding_good : finding_know)(
        finding, "%s: IQR %s; an estimate from %s has a standard deviation of %s%s",
        round_time(batches->target_ns, target), share_text(batches->iqr, iqr),
        round_time(batches->epoch_ns, epoch), share_text(batches->estimate_sd, deviation), more);
}

static void judge_short(const struct bilanx_doctor_figures *figures, bool virtual,
                        struct bilanx_finding *finding)
{
    (void)virtual;
    const struct bilanx_doctor_batches *batches = &figures->batches[BILANX_DOCTOR_SHORT];
    describe_batches(batches, batches->estimate_sd < CLAIM_MARGIN, "", finding);
}

static void judge_long(const struct bilanx_doctor_figures *figures, bool virtual,
                       struct bilanx_finding *finding)
{
    (void)virtual;
    const struct bilanx_doctor_batches *batches = &figures->batches[BILANX_DOCTOR_LONG];
    // Compares quartiles, not estimates: in five seconds, a single slow phase, which affects both
    // lengths alike, can dominate the deviation of the estimates.
    double times = batches->iqr / figures->batches[BILANX_DOCTOR_SHORT].iqr;
    char more[96] = "";
    bool worse = isfinite(times) && times >= 2;
    if (worse)
        snprintf(more, sizeof more,
                 "; IQR %.0f times that of short batches, which fit between interruptions", times);
    describe_batches(batches, !worse, more, finding);
}

static const struct {
    const char *name;
    void (*judge)(const struct bilanx_doctor_figures *, bool virtual, struct bilanx_finding *);
} judges[] = {
    {"clock", judge_clock},       {"interruptions", judge_interruptions},
    {"waiting", judge_waiting},   {"steal", judge_steal},
    {"core", judge_core},         {"short-batches", judge_short},
    {"long-batches", judge_long},
};

void figures_judge(struct bilanx_doctor *doctor, bool virtual)
{
    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++)
        judges[i].judge(&doctor->figures, virtual, doctor_add(doctor, "measured", judges[i].name));
}

// warnings: reasons to doubt a result, and what to do about them.
#include "core/record/warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/stats/rare.h"
#include "core/stats/units.h"

static const double WIDE = 0.1;  // half width of the interval, relative to the estimate

static bool has_warning(const struct bilanx_record *record, const char *code)
{
    for (size_t i = 0; i < record->warning_count; i++)
        if (text_equal(record->warnings[i].code, code))
            return true;
    return false;
}

static void add_warning(struct bilanx_record *record, struct bilanx_warning warning)
{
    size_t count = record->warning_count++;
    record->warnings = mem_resized(record->warnings, (count + 1) * sizeof *record->warnings);
    record->warnings[count] = warning;
}

static void warning_done(struct bilanx_warning *warning)
{
    free(warning->code);
    free(warning->text);
    free(warning->extra);
}

void record_warn(struct bilanx_record *record, const char *code, const char *format, ...)
{
    if (!code || has_warning(record, code))
        return;
    va_list arguments;
    va_start(arguments, format);
    char text[400];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_warning(record, (struct bilanx_warning){.code = mem_text(code), .text = mem_text(text)});
}

void record_drop_warning(struct bilanx_record *record, const char *code)
{
    size_t kept = 0;
    for (size_t i = 0; i < record->warning_count; i++) {
        struct bilanx_warning *warning = &record->warnings[i];
        if (text_equal(warning->code, code))
            warning_done(warning);
        else
            record->warnings[kept++] = *warning;
    }
    record->warning_count = kept;
}

void record_take_warnings(struct bilanx_record *into, struct bilanx_record *from)
{
    for (size_t i = 0; i < from->warning_count; i++) {
        struct bilanx_warning *warning = &from->warnings[i];
        if (has_warning(into, warning->code))
            warning_done(warning);
        else
            add_warning(into, *warning);
    }
    from->warning_count = 0;
}

// Where it was, if the record had it already: reading a record must not reorder its warnings.
static void move_last_to_front(struct bilanx_record *record)
{
    struct bilanx_warning last = record->warnings[record->warning_count - 1];
    memmove(record->warnings + 1, record->warnings,
            (record->warning_count - 1) * sizeof *record->warnings);
    record->warnings[0] = last;
}

struct time_groups record_groups(const struct bilanx_record *record)
{
    static const struct time_groups none;
    struct time_groups groups = time_groups_find(&record->timing);
    bool alone = text_equal(record->core, "free") && !has_warning(record, "one-process");
    return groups.by == GROUPS_BY_PROCESS && !alone ? none : groups;
}

// There are two distinct times, depending on the layout or on the process, and both are valid.
static bool judge_groups(struct bilanx_record *record)
{
    struct time_groups groups = record_groups(record);
    char fast[UNITS_SIZE], slow[UNITS_SIZE];
    record_drop_warning(record, "layout-groups");
    record_drop_warning(record, "process-groups");
    units_time(groups.times[0], groups.times[0] / 100, fast);
    units_time(groups.times[1], groups.times[1] / 100, slow);
    if (groups.by == GROUPS_NONE)
        return false;
    if (groups.by == GROUPS_BY_LAYOUT)
        record_warn(record, "layout-groups",
                    "takes %s in %zu of %zu code layouts and %s in the others: the speed depends "
                    "on where functions are placed, and a given build has one of the two",
                    fast, groups.counts[0], groups.units, slow);
    else
        record_warn(record, "process-groups",
                    "takes %s in %zu of %zu processes and %s in the others, and each keeps its "
                    "time: something that a process draws when it starts, such as addresses, "
                    "decides which",
                    fast, groups.counts[0], groups.units, slow);
    move_last_to_front(record);
    return true;
}

// If the interval is this wide, say so first. A warning about the spread would add nothing.
static bool judge_interval(struct bilanx_record *record)
{
    const struct bilanx_timing *timing = &record->timing;
    const struct bilanx_stats *stats = &record->stats;
    double half = (stats->ci95[1] - stats->ci95[0]) / 2 / stats->estimate;
    if (!(half > WIDE) || !isfinite(half))
        return false;
    if (timing->epoch_count)
        record_warn(record, "wide-interval",
                    "the time is only known to within %.0f %%, from %zu epochs: measure longer "
                    "(--max-run-time), or when the machine is quieter (see 'bilanx doctor')",
                    half * 100, timing->epoch_count);
    else
        record_warn(record, "wide-interval",
                    "the time is only known to within %.0f %%, from %zu runs: use more runs, or "
                    "measure when the machine is quieter (see 'bilanx doctor')",
                    half * 100, timing->raw_count);
    move_last_to_front(record);
    return true;
}

// A few processes far from all others are no reason to doubt the time, but worth knowing.
static void judge_rare(struct bilanx_record *record)
{
    struct rare_epochs rare = rare_find(&record->timing);
    char far[UNITS_SIZE];
    record_drop_warning(record, "rare-epochs");
    if (!rare.count)
        return;
    record_warn(record, "rare-epochs",
                "%zu of %zu processes took a very different time (%s %s), and count only as much "
                "as the furthest of the others: something that each process draws anew, such as "
                "addresses, matters here",
                rare.count, record->timing.epoch_count,
                rare.furthest < record->stats.median ? "down to" : "up to",
                units_time(rare.furthest, rare.furthest / 100, far));
    move_last_to_front(record);
}

static void judge_spread(struct bilanx_record *record)
{
    judge_rare(record);
    double spread = record->stats.iqr / record->stats.median;
    record_drop_warning(record, "wide-interval");
    record_drop_warning(record, "high-iqr");
    record_drop_warning(record, "unreliable-iqr");
    // Latencies vary by nature: their percentiles are the result, not a reason to doubt it.
    if (record->timing.latency || judge_groups(record) || judge_interval(record) ||
        !(spread >= 0.10))
        return;
    if (spread >= 0.25)
        record_warn(record, "unreliable-iqr",
                    "the times vary by %.0f %% (interquartile range over median): do not rely on "
                    "them; see 'bilanx doctor' for what disturbs this machine",
                    spread * 100);
    else
        record_warn(record, "high-iqr",
                    "the times vary by %.0f %% (interquartile range over median): treat smaller "
                    "differences as noise, or measure longer",
                    spread * 100);
    move_last_to_front(record);
}

void record_summarize(struct bilanx_record *record)
{
    if (!text_equal(record->kind, "measurement") || record->timing.raw_count == 0)
        return;
    static const struct bilanx_stats never_filled;
    if (memcmp(&record->stats, &never_filled, sizeof never_filled) == 0)
        record->stats.marginal = NAN;
    bilanx_timing_summarize(&record->timing, &record->stats);
    judge_spread(record);
}

static void judge_clock(struct bilanx_record *record, const struct warning_facts *facts)
{
    const struct bilanx_timing *timing = &record->timing;
    double sample = record->stats.median * (double)timing->number_per_run * 1e9;
    if (facts->resolution_ns > sample / 100)
        record_warn(
            record, "clock-too-coarse",
            "a timed interval of %.0f ns is under 100 steps of the clock (%.3g ns each): %s",
            sample, facts->resolution_ns,
            timing->latency ? "read the percentiles with that in mind, or use another "
                              "method"
                            : "use a larger --number");
    bool loop = timing->overhead > 0 && !timing->latency;
    if (loop && timing->number_per_run > 1 && record->stats.estimate < 1.1 * timing->overhead)
        record_warn(record, "below-resolution",
                    "takes no longer than the empty loop (%.2f ns per iteration): the statement "
                    "may have been optimised away; BILANX_KEEP its result",
                    timing->overhead * 1e9);
}

static void judge_disturbances(struct bilanx_record *record)
{
    uint64_t batches = 0, disturbed = 0;
    for (size_t i = 0; i < record->timing.epoch_count; i++) {
        batches += record->timing.epochs[i].batches + record->timing.epochs[i].off_pace;
        disturbed += record->timing.epochs[i].disturbed;
    }
    if (disturbed * 20 > batches)
        record_warn(record, "disturbed",
                    "other work on this CPU interrupted %.0f %% of the batches: stop it, or keep a "
                    "CPU free (see 'bilanx doctor')",
                    100.0 * (double)disturbed / (double)batches);
}

void record_set_core(struct bilanx_record *record, const char *state,
                     const struct bilanx_neighbour *neighbour)
{
    free(record->core);
    record->core = mem_text(state);
    if (!record->neighbour)
        record->neighbour = mem_new(struct bilanx_neighbour);
    free(record->neighbour->extra);
    *record->neighbour = *neighbour;
}

// Both times are true: one with the core to itself, one beside a busy neighbour.
static void judge_core(struct bilanx_record *record)
{
    static const double WORTH_SAYING = .02;
    const struct bilanx_neighbour *neighbour = record->neighbour;
    char free_time[UNITS_SIZE], other[UNITS_SIZE];
    if (!neighbour || !record->core)
        return;
    double time = record->stats.estimate, seen = neighbour->time;
    static const double RESOLVED_S = 1e-11;
    bool differs = time > RESOLVED_S && seen > RESOLVED_S &&
                   (seen > time * (1 + WORTH_SAYING) || seen < time * (1 - WORTH_SAYING));
    bool shared = text_equal(record->core, "shared");
    double busy_percent = 100 * (1 - neighbour->free);
    if (shared && differs)
        record_warn(record, "core-shared",
                    "another thread used this core for %.0f %% of the time, and this is what it "
                    "takes beside such a neighbour; with the core to itself, about %s",
                    busy_percent, units_time(seen, seen / 100, other));
    else if (shared)
        record_warn(record, "core-shared",
                    "another thread used this core for %.0f %% of the time, and this time includes "
                    "its effect; with the core to itself, it may be shorter",
                    busy_percent);
    else if (differs && text_equal(record->core, "free"))
        record_warn(record, "neighbour",
                    "%s with the core to itself, %s beside a neighbour that was busy for %.0f %% "
                    "of the time",
                    units_time(time, time / 1000, free_time), units_time(seen, seen / 100, other),
                    busy_percent);
}

void record_judge_load(struct bilanx_record *record, double busy_share)
{
    const struct bilanx_verdict *verdict = record->verdict;
    bool decided = verdict && verdict->verdict && strcmp(verdict->verdict, "undecided") != 0;
    if (busy_share > 0.1 && decided)
        record_warn(record, "busy-machine",
                    "other work used %.0f %% of this machine's CPUs during the comparison: the "
                    "verdict holds, as both sides met it alike; without it, the interval would be "
                    "narrower",
                    busy_share * 100);
    else if (busy_share > 0.1)
        record_warn(record, "busy-machine",
                    "other work used %.0f %% of this machine's CPUs during the measurement: stop "
                    "it and measure again",
                    busy_share * 100);
}

void record_judge(struct bilanx_record *record, const struct warning_facts *facts)
{
    judge_clock(record, facts);
    judge_disturbances(record);
    judge_core(record);
    if (facts->unoptimised)
        record_warn(record, "unoptimised-build",
                    "the benchmark was compiled without optimisation: add -O2");
    if (facts->governor[0] && strcmp(facts->governor, "performance") != 0)
        record_warn(record, "cpu-frequency-scaling",
                    "the CPU governor is '%s', so the clock rate varies: run 'cpupower "
                    "frequency-set -g performance'",
                    facts->governor);
    record_judge_load(record, facts->busy_share);
}

void record_fail(struct bilanx_record *record, const struct bilanx_error *error, const char *phase,
                 const char *output)
{
    free(record->kind);
    record->kind = mem_text("failure");
    record->error = mem_new(struct bilanx_failure);
    record->error->code = mem_text(bilanx_status_code(error->status));
    record->error->phase = mem_text(phase);
    record->error->text = mem_text(error->text);
    if (output && output[0])
        record->error->output = mem_text(output);
}

bool record_skipped(const struct bilanx_record *record)
{
    return record->error && text_equal(record->error->code, bilanx_status_code(BILANX_E_SKIPPED));
}

const char *record_failure_word(const struct bilanx_failure *failure)
{
    if (!text_equal(failure->code, "system"))
        return failure->code;
    return text_equal(failure->phase, "start") ? "cannot start" : "failed";
}

bool record_failure_names_itself(const struct bilanx_failure *failure)
{
    return failure->text && text_starts(failure->text, failure->code);
}

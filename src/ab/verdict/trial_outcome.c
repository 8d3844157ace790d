// trial_outcome: results of a trial's epochs: its sample, margins and record.
#include "trial.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "core/record/facts.h"
#include "core/record/warnings.h"
#include "core/stats/elementary.h"

// The number of outlying epochs that still counts as accidents. More than that are a group: half of
// all layouts may be slow, and eight of ten drawn may be of one kind by chance.
static size_t accidents_among(size_t epochs)
{
    return epochs < 12 ? 0 : epochs < 16 ? 1 : epochs / 8;
}

// How far from the others an epoch may lie before it is an outlier: one in twenty is off by 5 to 50
// % in code that allocates or whose data collides in the cache.
static struct interval usual_range(const struct trial *trial, size_t first)
{
    static const double TIMES = 3;
    size_t count = trial->change_count - first;
    AUTO(memory) double *sorted = mem_array(double, count + 1);
    memcpy(sorted, trial->changes + first, count * sizeof *sorted);
    stats_sort(sorted, count);
    double low = stats_quantile(sorted, count, .25), high = stats_quantile(sorted, count, .75);
    double room = TIMES * (high - low);
    size_t outside = 0;
    for (size_t i = 0; i < count; i++)
        outside += sorted[i] < low - room || sorted[i] > high + room;
    if (outside > accidents_among(count))
        return (struct interval){-INFINITY, INFINITY};
    return (struct interval){low - room, high + room};
}

// The change for each layout, in order of first use: the midmean of its epochs.
static struct sample changes_by_layout(const struct trial *trial, size_t first)
{
    AUTO(memory) double *same = mem_array(double, trial->change_count);
    struct interval usual = usual_range(trial, first);
    size_t count = 0;
    for (size_t i = first; i < trial->change_count; i++) {
        size_t epochs = 0, before = 0;
        for (size_t j = first; j < trial->change_count; j++) {
            if (trial->layouts[j] != trial->layouts[i])
                continue;
            before += j < i;
            same[epochs++] = fmax(usual.low, fmin(usual.high, trial->changes[j]));
        }
        if (before)
            continue;
        stats_sort(same, epochs);
        trial->units[count++] = stats_midmean(same, epochs);
    }
    return (struct sample){trial->units, count};
}

static bool is_early(const struct trial *trial, size_t first)
{
    return trial->fork_kept && trial->change_count - first < PLAN_FIRST_VERDICT;
}

// NULL if nothing was measured yet.
static const double *values_from(const double *values, size_t first)
{
    return values ? values + first : NULL;
}

// With few layouts, a verdict applies to these only.
static struct sample epochs_since(const struct trial *trial, size_t first)
{
    size_t fork = first ? trial->first_fork : 0;
    if (is_early(trial, first))
        return (struct sample){values_from(trial->forks, fork), trial->fork_kept - fork};
    if (trial->deck.count >= PLAN_FIRST_VERDICT)
        return changes_by_layout(trial, first);
    return (struct sample){values_from(trial->changes, first), trial->change_count - first};
}

struct sample trial_epochs(const struct trial *trial)
{
    return epochs_since(trial, trial->first);
}

enum { FEWEST_DRAWS = 3 };  // of the addresses of both sides, for a verdict

// Files with the same code may differ by this much while they keep their physical pages.
static const double PAGES_BIAS = .04;

// Forks repeat the draws of their workers, addresses above all. If both sides share these, what is
// left varies by USUAL from one pair of workers to the next: .1 to .6 % for additions of tensors.
// This is worth as much as KNOWN more pairs would be. With different addresses (4.8 %), only what
// is seen counts. Three times what is usual is allowed for in any case.
static double doubt_of_draws(const struct trial *trial)
{
    static const double USUAL = .005, TIMES = 3, KNOWN = 2, CONFIDENCE = .99;
    size_t draws = trial->change_count - trial->first;
    if (draws < FEWEST_DRAWS)
        return INFINITY;
    double seen = (double)draws - 1, known = trial->alike ? KNOWN : 0;
    double variance = seen * stats_variance(trial->changes + trial->first, draws);
    variance = (variance + known * USUAL * USUAL) / (seen + known);
    double times = stats_student((1 + CONFIDENCE) / 2, seen + known);
    return fmax(TIMES * USUAL, times * square_root(variance)) / square_root((double)draws);
}

struct margins trial_margins(const struct trial *trial, const struct margins *margins)
{
    struct margins wider = *margins;
    if (is_early(trial, trial->first))
        wider.bias += doubt_of_draws(trial);
    if (trial->refused && wider.bias < PAGES_BIAS)
        wider.bias = PAGES_BIAS;
    return wider;
}

static void note_setup(struct trial *trial)
{
    double seconds = trial->plan.setup_ns / 1e9;
    if (seconds > 0 && trial->change_count < PLAN_FIRST_VERDICT)
        record_warn(&trial->record, "costly-setup",
                    "setting up both sides takes %.2g s per epoch, and a verdict needs at least %d "
                    "epochs: try --budget %.0f",
                    seconds, PLAN_FIRST_VERDICT, ceil(2 * PLAN_FIRST_VERDICT * seconds));
}

// Adds known facts about the code of either side, such as that it was removed.
static void add_notes(struct trial *trial, const struct trial_shared *shared)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct run_note *const *note = trial->items[side]->notes;
        for (; *note && note < trial->items[side]->notes + 4; note++)
            record_warn(&trial->record, (*note)->code, "side %s: %s", shared->sides[side].name,
                        (*note)->text);
    }
}

// Makes the times consistent with the change: their ratio is the change, centred on the measured
// times. Midmeans and medians of ratios need not equal the ratio of midmeans.
static void add_times(const struct trial *trial, double change, struct bilanx_verdict *verdict)
{
    double epochs = (double)trial->change_count;
    double middle = (trial->time_logs[0] + trial->time_logs[1]) / 2 / epochs;
    verdict->times[0] = exponential(middle - change / 2) / 1e9;
    verdict->times[1] = exponential(middle + change / 2) / 1e9;
}

// The change in the other state of the core, if it was seen often enough for an interval.
static void add_core(struct trial *trial, const struct trial_shared *shared,
                     const struct margins *margins)
{
    if (!(trial->readings > 0))
        return;
    double share = trial->free_readings / trial->readings;
    bool is_free = trial->has_states ? !trial->settled_for_shared : share >= CORE_MOSTLY_FREE;
    enum core_state state = core_floor_is_doubtful(&shared->core) ? CORE_UNKNOWN
                            : is_free                             ? CORE_FREE
                                                                  : CORE_SHARED;
    struct sample others = {trial->others.changes, trial->others.count};
    struct finding finding = judge_sample(&others, margins);
    bool known = trial->has_states && isfinite(finding.interval.low);
    double count = (double)others.count;
    record_set_core(&trial->record, core_words[state],
                    &(struct bilanx_neighbour){
                        .free = share,
                        .time = known ? exponential(trial->others.time_logs[1] / count) / 1e9 : NAN,
                        .change = known ? judge_fraction(finding.change) : NAN,
                        .interval = {known ? judge_fraction(finding.interval.low) : NAN,
                                     known ? judge_fraction(finding.interval.high) : NAN},
                        .epochs = trial->has_states ? others.count : 0});
}

static bool is_apart(const double one[2], const double other[2])
{
    return one[1] < other[0] || other[1] < one[0];
}

// A ratio belongs to a state of the core, as a time does.
static void note_core(struct bilanx_record *record)
{
    const struct bilanx_neighbour *neighbour = record->neighbour;
    if (!neighbour)
        return;
    bool known = isfinite(neighbour->change);
    if (text_equal(record->core, core_words[CORE_SHARED]))
        record_warn(
            record, "core-shared",
            "another thread used this core for %.0f %% of the time, so the verdict is about "
            "code beside such a neighbour, not about the core to itself",
            100 * (1 - neighbour->free));
    else if (known && is_apart(neighbour->interval, record->verdict->interval))
        record_warn(record, "neighbour",
                    "the change depends on the other thread of the core: %+.2f %% (%+.2f .. %+.2f) "
                    "while it was busy, which was %.0f %% of the time; the verdict is about the "
                    "core to itself",
                    100 * neighbour->change, 100 * neighbour->interval[0],
                    100 * neighbour->interval[1], 100 * (1 - neighbour->free));
}

double trial_second_change(const struct trial *trial)
{
    struct sample epochs = trial_epochs(trial);
    return judge_sample(&epochs, &default_margins).change;
}

// If a second run did not confirm the first, neither of them is right for sure: the interval has
// room for both.
static struct interval interval_of_both(const struct trial *trial, const struct margins *margins)
{
    struct sample epochs[] = {{trial->changes, trial->first}, trial_epochs(trial)};
    struct interval both = judge_sample(&epochs[0], margins).interval;
    struct interval second = judge_sample(&epochs[1], margins).interval;
    both.low = second.low < both.low ? second.low : both.low;
    both.high = second.high > both.high ? second.high : both.high;
    return both;
}

void trial_conclude(struct trial *trial, const struct trial_shared *shared, const char *reason)
{
    const struct margins wider = trial_margins(trial, &shared->usual), *margins = &wider;
    struct bilanx_verdict *verdict = mem_new(struct bilanx_verdict);
    struct sample all = epochs_since(trial, 0);
    struct finding finding = judge_sample(&all, margins);
    bool open = trial->verdict == VERDICT_UNDECIDED && !trial->unresolved;
    if (open && trial->flagged != VERDICT_UNDECIDED)
        finding.interval = interval_of_both(trial, margins);
    *verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[trial->verdict]),
        .reason = mem_text(reason),
        .baseline = mem_text(shared->sides[0].title),
        .change = exponential(finding.change) - 1,
        .interval = {judge_fraction(finding.interval.low), judge_fraction(finding.interval.high)},
        .p = finding.p,
        .detectable = open ? judge_detectable(&finding, margins) : NAN,
        .changes = trial->changes,
        .change_count = trial->change_count};
    if (all.count)
        add_times(trial, finding.change, verdict);
    if (trial->deck.count) {
        verdict->layout_count = changes_by_layout(trial, 0).count;
        verdict->layouts = TAKE(trial->units);
    }
    trial->changes = NULL;
    trial->record.verdict = verdict;
    add_notes(trial, shared);
    if (trial->refused)
        record_warn(&trial->record, "pages-kept",
                    "the code ran from its file's physical pages, because it is too large to copy "
                    "or the kernel refused: the same code in two files may then differ by %.0f %%, "
                    "so smaller changes are not reported",
                    100 * PAGES_BIAS);
    add_core(trial, shared, margins);
    note_core(&trial->record);
    record_judge_load(&trial->record, trial->busy);
    note_setup(trial);
    trial->record.machine = machine_facts("");
}

// match: one case on its way to a verdict.
#include "match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/duels/libraries.h"
#include "base/mem.h"
#include "core/record/facts.h"
#include "core/record/warnings.h"
#include "core/stats/elementary.h"
#include "core/timer/rigorous.h"

enum { ONE_CONTROL_IN = 6 };  // epochs

static void fail(struct match *match, const struct arena *arena, const struct bilanx_error *error,
                 const struct bout_failure *failure)
{
    struct bilanx_error named = *error;
    if (failure->side >= 0) {
        const struct contest_side *side = &arena->sides[failure->side];
        free(match->record.side);
        match->record.side = mem_text(side->name);
        named = bilanx_error_make(error->status, "side %s: %s", side->name, error->text);
    }
    record_fail(&match->record, &named, failure->phase ? failure->phase : "start",
                text_get(&failure->output));
    match->done = true;
}

static void fail_as_prepared(struct match *match, const struct arena *arena)
{
    for (int side = 0; side < 2 && !match->done; side++) {
        const struct bilanx_failure *failure = match->items[side]->failure;
        if (!failure)
            continue;
        match->record.error = record_copy_failure(failure);
        free(match->record.error->text);
        match->record.error->text =
            mem_format("side %s: %s", arena->sides[side].name, failure->text ? failure->text : "");
        free(match->record.kind);
        match->record.kind = mem_text("failure");
        free(match->record.side);
        match->record.side = mem_text(arena->sides[side].name);
        match->done = true;
    }
}

static bool stands_by(const struct run_case *item)
{
    return item->subject && item->subject->standby;
}

// Both sides have the same one in an epoch.
static unsigned layouts_of(const struct match *match)
{
    unsigned a = match->items[0]->layouts, b = match->items[1]->layouts;
    return a < b ? a : b;
}

void match_init(struct match *match, struct arena *arena, size_t index)
{
    double asked = arena->options->budget;
    *match = (struct match){.index = index,
                            .p = 1,
                            .plan.budget_ns = 1e9 * (asked > 0 ? asked : CONTEST_BUDGET_S),
                            .record = {.kind = mem_text("verdict"),
                                       .side = mem_text(arena->sides[1].name),
                                       .attempts = 1}};
    for (unsigned side = 0; side < 2; side++)
        match->items[side] = &arena->sides[side].cases->items[index];
    match->plan.forks = stands_by(match->items[0]) || stands_by(match->items[1]);
    match->together = !arena->options->apart && match->items[0]->rival && match->items[1]->rival;
    deck_init(&match->deck, layouts_of(match));
    record_copy_task(&match->items[1]->task, &match->record.task);
    fail_as_prepared(match, arena);
}

void match_done(struct match *match)
{
    twin_done(&match->twin);
    free(match->changes);
    free(match->layouts);
    free(match->units);
    free(match->files);
    match->files = NULL;
    deck_done(&match->deck);
    match->changes = match->units = NULL;
    match->layouts = NULL;
}

static struct bout begin_bout(struct match *match, struct arena *arena, unsigned round)
{
    struct bout bout = {.together = match->together,
                        .number = match->plan.number,
                        .pairs = match->plan.pairs,
                        .warm_pairs = plan_warm_pairs(&match->plan),
                        .layout = match->layout,
                        .files = match->files,
                        .pages = &match->pages,
                        .seed = random_bits(&arena->random) >> 1,
                        .generation = round + 1,  // the one that prepared shares nothing
                        .timeout = arena->options->timeout,
                        .max_memory = arena->options->max_memory};
    bout.draw = match->plan.forks ? arena->draws + round * 0x9E3779B97F4A7C15u : bout.seed;
    for (unsigned side = 0; side < 2; side++)
        bout.sides[side] = match->items[side];
    return bout;
}

static struct bilanx_error make_twin(struct match *match, struct arena *arena)
{
    if (!arena->folder.path)
        BILANX_TRY(temporary_init(&arena->folder, NULL));
    AUTO(memory) char *path = mem_format("%s/twin-%zu", arena->folder.path, match->index);
    return twin_init(&match->twin, match->items[0], path);
}

// Found alternately; and whether both sides fit into one process.
static struct bilanx_error calibrate(struct match *match, struct arena *arena, unsigned round,
                                     struct bout_failure *failure)
{
    struct bout bout = begin_bout(match, arena, round);
    struct bout_calibration calibrations[2] = {{.number = 1}, {.number = 1}};
    struct bilanx_error error = BILANX_SUCCESS;
    unsigned first = bout.seed & 1;
    for (unsigned i = 0; i < 2 && error.status == BILANX_OK; i++)
        error = arena->way->calibrate(&bout, first ^ i, &calibrations[first ^ i], failure);
    if (error.status == BILANX_OK) {
        plan_calls(&match->plan, calibrations[0].batch_ns / (double)calibrations[0].number,
                   calibrations[1].batch_ns / (double)calibrations[1].number);
        plan_setup(&match->plan, calibrations[0].setup_ns + calibrations[1].setup_ns);
        match->resolution_ns = fmax(calibrations[0].resolution_ns, calibrations[1].resolution_ns);
        if (libraries_clash(&calibrations[0].libraries, &calibrations[1].libraries))
            match->together = false;
        match->files = libraries_apart(&calibrations[0].libraries, &calibrations[1].libraries);
    }
    list_done(&calibrations[0].libraries);
    list_done(&calibrations[1].libraries);
    if (error.status == BILANX_OK && match->together && !match->twin.rival)
        error = make_twin(match, arena);
    return error;
}

static struct run_subject *mirror_of(struct arena *arena, const struct run_subject *subject)
{
    for (size_t i = 0; i < arena->mirror_count; i++)
        if (arena->mirrors[i].of == subject)
            return arena->mirrors[i].copy;
    struct run_subject *copy = mem_new(struct run_subject);
    *copy = *subject;
    copy->standby = run_standby_new();
    mem_grow(arena->mirrors, arena->mirror_count, &arena->mirror_room);
    arena->mirrors[arena->mirror_count++] = (struct mirror){subject, copy};
    return copy;
}

// The same file on both sides would be one object at one address.
static bool same_object(const struct match *match)
{
    return strcmp(match->items[0]->rival, match->items[1]->rival) == 0;
}

static struct bilanx_error run_bout(struct match *match, struct arena *arena, unsigned round,
                                    bool control, struct bout_result *out,
                                    struct bout_failure *failure)
{
    struct bout bout = begin_bout(match, arena, round);
    struct run_case twin = *match->items[control ? 0 : 1];
    if (match->together && (control || same_object(match))) {
        twin.open = match->twin.open;
        twin.rival = match->twin.rival;
    }
    if (control && !match->together && twin.subject->standby)
        twin.subject = mirror_of(arena, twin.subject);
    bout.sides[1] = &twin;
    return bout_run(arena->way, &bout, &arena->memory, out, failure);
}

// The forks of two workers that stand by share their addresses: all of them are one draw, whose
// value is their mean. A fork costs milliseconds, an import of torch a second, and what a fork
// draws (stack and heap) spreads several times as much as what an import does: 1.9 % against .6
// for an addition of two tensors, .5 against .3 for a product.
static struct bilanx_error run_forks(struct match *match, struct arena *arena, unsigned round,
                                     bool control, double first_ns, struct bout_result *sum,
                                     struct bout_failure *failure)
{
    unsigned count = 1;
    if (!control && plan_lengthen(&match->plan, first_ns)) {  // it told no more than that
        *sum = (struct bout_result){0};
        count = 0;
    }
    for (uint64_t end_ns = monotonic_ns() + (uint64_t)plan_epoch_ns(&match->plan);
         monotonic_ns() < end_ns;) {
        struct bout_result one = {0};
        BILANX_TRY(run_bout(match, arena, round, control, &one, failure));
        if (one.pairs == 0)
            continue;
        count++;
        bout_add(sum, &one);
    }
    bout_scale(sum, count ? 1.0 / count : 1);
    return BILANX_SUCCESS;
}

// How far from the others an epoch may lie before it counts as lying there: one in twenty is off by
// 5 to 50 % in code that allocates, or whose data meet in the cache. Where layouts part epochs into
// groups, the quarters lie in both, and this is beyond either.
static struct interval usual_range(const struct match *match, size_t first)
{
    static const double TIMES = 3;
    size_t count = match->change_count - first;
    AUTO(memory) double *sorted = mem_array(double, count + 1);
    memcpy(sorted, match->changes + first, count * sizeof *sorted);
    stats_sort(sorted, count);
    double low = stats_quantile(sorted, count, .25), high = stats_quantile(sorted, count, .75);
    double room = TIMES * (high - low);
    return (struct interval){low - room, high + room};
}

// The change in each layout, in the order in which they first came: the midmean of its epochs.
static struct sample changes_by_layout(const struct match *match, size_t first)
{
    enum { ENOUGH = 8 };  // epochs, to know what is usual
    AUTO(memory) double *same = mem_array(double, match->change_count);
    struct interval usual = {-INFINITY, INFINITY};
    if (match->change_count - first >= ENOUGH)
        usual = usual_range(match, first);
    size_t count = 0;
    for (size_t i = first; i < match->change_count; i++) {
        size_t epochs = 0, before = 0;
        for (size_t j = first; j < match->change_count; j++) {
            if (match->layouts[j] != match->layouts[i])
                continue;
            before += j < i;
            same[epochs++] = fmax(usual.low, fmin(usual.high, match->changes[j]));
        }
        if (before)
            continue;
        stats_sort(same, epochs);
        match->units[count++] = stats_midmean(same, epochs);
    }
    return (struct sample){match->units, count};
}

// Of few layouts, a verdict is about these alone.
static struct sample epochs_since(const struct match *match, size_t first)
{
    if (match->deck.count >= PLAN_FIRST_VERDICT)
        return changes_by_layout(match, first);
    return (struct sample){match->changes + first, match->change_count - first};
}

struct sample match_epochs(const struct match *match)
{
    return epochs_since(match, match->first);
}

static void forget_epochs(struct match *match)
{
    match->time_logs[0] = match->time_logs[1] = 0;
    match->change_count = match->record.timing.epoch_count = 0;
}

// A loop of which the compiler left nothing takes as long as reading the clock, however many calls
// it is of, and one reading may differ from another as much as it likes.
static bool is_too_short(const struct match *match, const struct bout_result *result)
{
    static const double STEPS = 10;
    return fmin(result->batch_ns[0], result->batch_ns[1]) < STEPS * match->resolution_ns;
}

static void keep(struct match *match, const struct bout_result *result)
{
    size_t at = match->change_count;
    mem_grow(match->changes, at, &match->change_room);
    mem_grow(match->layouts, at, &match->layout_room);
    match->units = mem_resized(match->units, match->change_room * sizeof *match->units);
    match->changes[at] = result->change;
    match->layouts[at] = match->layout;
    match->change_count++;
    match->record.pages += match->pages.fresh && !match->pages.refused;
    match->refused |= match->pages.refused;
    match->unresolved |= is_too_short(match, result);
    struct bilanx_timing *timing = &match->record.timing;
    timing->epochs =
        mem_resized(timing->epochs, (timing->epoch_count + 1) * sizeof *timing->epochs);
    timing->epochs[timing->epoch_count++] =
        (struct bilanx_epoch){.time = result->batch_ns[1] / 1e9 / (double)match->plan.number,
                              .min = NAN,
                              .p25 = NAN,
                              .p75 = NAN,
                              .p99 = NAN,
                              .batches = result->pairs,
                              .disturbed = result->dropped};
    for (unsigned side = 0; side < 2; side++)
        match->time_logs[side] += ln(result->batch_ns[side] / (double)match->plan.number);
}

static void keep_control(struct arena *arena, double change)
{
    mem_grow(arena->control, arena->control_count, &arena->control_room);
    arena->control[arena->control_count++] = change;
    struct sample control = {arena->control, arena->control_count};
    arena->usual.bias = arena->strict.bias = judge_bias(&control, &arena->options->margins);
    arena->biased = judge_biased(&control, &arena->options->margins);
}

// The machine was at fault: the pairs of an epoch spread several times as much as those of the
// calmest. What the spread is of does not matter to it, nor which side is which; so nothing that
// belongs to the code is thrown away, and never more than is kept.
static bool is_bad_moment(struct match *match, const struct bout_result *result)
{
    static const double MUCH = .03, TIMES = 4;
    if (match->calmest == 0 || result->spread < match->calmest)
        match->calmest = result->spread;
    bool bad = !match->plan.setup_ns && result->spread > MUCH &&
               result->spread > TIMES * match->calmest &&
               match->record.redrawn < match->change_count + 2;
    match->record.redrawn += bad;
    return bad;
}

// Files of the same code may differ by so much, for as long as they keep their physical pages.
static const double PAGES_BIAS = .04;

struct margins match_margins(const struct match *match, const struct margins *margins)
{
    struct margins wider = *margins;
    if (match->refused && wider.bias < PAGES_BIAS)
        wider.bias = PAGES_BIAS;
    return wider;
}

static void decide(struct match *match, const struct arena *arena)
{
    const struct margins usual = match_margins(match, &arena->usual),
                         strict = match_margins(match, &arena->strict);
    bool confirming = match->flagged != VERDICT_UNDECIDED;
    struct sample epochs = match_epochs(match);
    match->verdict = judge(&epochs, confirming ? &usual : &strict);
    if (match->verdict == VERDICT_UNDECIDED && judge(&epochs, &usual) == VERDICT_SAME)
        match->verdict = VERDICT_SAME;
    size_t fewest = confirming ? PLAN_FIRST_VERDICT : 2;  // a second run says nothing before that
    bool spent = match->spent_ns + plan_epoch_ns(&match->plan) / 2 > match->plan.budget_ns &&
                 epochs.count >= fewest;
    if (spent && match->verdict == VERDICT_UNDECIDED)
        match->verdict = judge(&epochs, &usual);
    if (match->unresolved)
        match->verdict = VERDICT_UNDECIDED;
    match->done =
        spent || match->unresolved || match->verdict != VERDICT_UNDECIDED || arena->biased;
}

// Nobody knows which of two in one process failed: each on its own shows it.
static bool separate(struct match *match, const struct bilanx_error *error,
                     const struct bout_failure *failure)
{
    if (error->status == BILANX_OK || error->status == BILANX_E_INTERRUPTED || failure->side >= 0)
        return false;
    match->together = false;
    record_warn(&match->record, "isolated",
                "each side had a process of its own: in one it failed (%s)", error->text);
    return true;
}

// Fewer controls than a verdict on them takes would be time for nothing.
static bool is_control_due(struct match *match, struct arena *arena)
{
    double cases = (double)arena->sides[0].cases->count;
    return match->plan.count > 0 &&
           cases * plan_epochs(&match->plan) >= ONE_CONTROL_IN * PLAN_FIRST_VERDICT &&
           random_below(&arena->random, ONE_CONTROL_IN) == 0;
}

struct bilanx_error match_step(struct match *match, struct arena *arena, unsigned round)
{
    AUTO(bout_failure) struct bout_failure failure = {.side = 0};
    struct bilanx_error error = BILANX_SUCCESS;
    struct bout_result result = {0};
    uint64_t started_ns = monotonic_ns();
    if (match->begun_ns == 0) {
        match->begun_ns = started_ns;
        match->watch = watch_start();
    }
    bool control = is_control_due(match, arena);
    match->layout = deck_draw(&match->deck, &arena->random);
    match->pages = (struct bout_pages){0};
    if (match->plan.number == 0)
        error = calibrate(match, arena, round, &failure);
    uint64_t calibrated_ns = monotonic_ns();
    if (error.status == BILANX_OK)
        error = run_bout(match, arena, round, control, &result, &failure);
    plan_relent(&match->plan, (double)(monotonic_ns() - calibrated_ns));
    if (error.status == BILANX_OK && result.pairs && match->plan.forks && !match->plan.setup_ns)
        error = run_forks(match, arena, round, control, (double)(monotonic_ns() - calibrated_ns),
                          &result, &failure);
    double wall_ns = (double)(monotonic_ns() - calibrated_ns);
    match->record.elapsed += (double)(monotonic_ns() - started_ns) / 1e9;
    match->spent_ns += match->plan.forks ? plan_epoch_ns(&match->plan) : wall_ns;
    if (error.status == BILANX_E_INTERRUPTED || separate(match, &error, &failure))
        return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
    if (error.status == BILANX_OK && result.pairs == 0)
        error = bilanx_error_make(BILANX_E_FAILED, "its batches take no time");
    if (error.status != BILANX_OK) {
        fail(match, arena, &error, &failure);
    } else if (plan_mend(&match->plan, &result) ||
               (!control && !match->plan.forks && plan_lengthen(&match->plan, wall_ns))) {
        // the epoch told no more than that
    } else if (is_bad_moment(match, &result)) {
        decide(match, arena);
    } else if (control) {
        keep_control(arena, result.change);
    } else {
        keep(match, &result);
        plan_note(&match->plan, &result, wall_ns);
        struct sample epochs = match_epochs(match);
        if (plan_adapt(&match->plan, &epochs, &arena->options->margins))
            forget_epochs(match);
        decide(match, arena);
    }
    return BILANX_SUCCESS;
}

void match_note_load(struct match *match, const struct arena *arena)
{
    double (*share)(const struct watch *) = arena->options->busy_share;
    match->busy = fmax(match->busy, (share ? share : watch_busy_share)(&match->watch));
}

bool match_is_doubtful(const struct match *match)
{
    static const double MUCH = .25;
    return match->busy > MUCH;
}

// What other work does to a case goes on for longer than a verdict takes. So what it may have
// brought about is looked at again later, with half of the budget.
static void put_off(struct match *match)
{
    static const double LATER_NS = 2e9;
    double half_ns = match->plan.budget_ns / 2;
    match->not_before_ns = match->begun_ns + (uint64_t)fmin(half_ns, LATER_NS);
    match->spent_ns = half_ns;
}

void match_confirm(struct match *match)
{
    match->flagged = match->verdict;
    match->first = match->change_count;
    match->verdict = VERDICT_UNDECIDED;
    match->spent_ns = 0;
    if (match_is_doubtful(match))
        put_off(match);
    match->watch = watch_start();
    plan_restart(&match->plan);
    match->done = false;
}

static void note_setup(struct match *match)
{
    double seconds = match->plan.setup_ns / 1e9;
    if (seconds > 0 && match->change_count < PLAN_FIRST_VERDICT)
        record_warn(&match->record, "costly-setup",
                    "setting up both sides takes %.2g s in every epoch, and a verdict takes at "
                    "least %d epochs: try --budget %.0f",
                    seconds, PLAN_FIRST_VERDICT, ceil(2 * PLAN_FIRST_VERDICT * seconds));
}

// What is known of the code of either side, such as that nothing is left of it.
static void add_notes(struct match *match, const struct arena *arena)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct run_note *const *note = match->items[side]->notes;
        for (; *note && note < match->items[side]->notes + 4; note++)
            record_warn(&match->record, (*note)->code, "side %s: %s", arena->sides[side].name,
                        (*note)->text);
    }
}

// So that the times agree with the change: as far apart as it says, around the middle of both as
// measured. Midmeans of ratios, and their median, need not be the ratio of midmeans.
static void add_times(const struct match *match, double change, struct bilanx_verdict *verdict)
{
    double epochs = (double)match->change_count;
    double middle = (match->time_logs[0] + match->time_logs[1]) / 2 / epochs;
    verdict->times[0] = exponential(middle - change / 2) / 1e9;
    verdict->times[1] = exponential(middle + change / 2) / 1e9;
}

void match_conclude(struct match *match, const struct arena *arena, const char *reason)
{
    const struct margins wider = match_margins(match, &arena->usual), *margins = &wider;
    struct bilanx_verdict *verdict = mem_new(struct bilanx_verdict);
    struct sample all = epochs_since(match, 0);
    struct finding finding = judge_sample(&all, margins);
    bool open = match->verdict == VERDICT_UNDECIDED && !match->unresolved;
    *verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[match->verdict]),
        .reason = mem_text(reason),
        .baseline = mem_text(arena->sides[0].title),
        .change = exponential(finding.change) - 1,
        .interval = {judge_fraction(finding.interval.low), judge_fraction(finding.interval.high)},
        .p = finding.p,
        .detectable = open ? judge_detectable(&finding, margins) : NAN,
        .changes = match->changes,
        .change_count = match->change_count};
    if (all.count)
        add_times(match, finding.change, verdict);
    if (match->deck.count) {
        verdict->layout_count = changes_by_layout(match, 0).count;
        verdict->layouts = TAKE(match->units);
    }
    match->changes = NULL;
    match->record.verdict = verdict;
    add_notes(match, arena);
    if (match->refused)
        record_warn(&match->record, "pages-kept",
                    "code kept the physical pages that its file has, as it is too large to copy or "
                    "the kernel refused: the same code in two files may differ by %.0f %% then, "
                    "and nothing below that is claimed",
                    100 * PAGES_BIAS);
    record_judge_load(&match->record, match->busy);
    note_setup(match);
    match->record.machine = machine_facts("");
}

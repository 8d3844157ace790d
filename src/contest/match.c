// match: one case on its way to a verdict.
#include "match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "contest/libraries.h"
#include "record/facts.h"
#include "stats/elementary.h"
#include "timer/rigorous.h"

static const double EPOCH_NS = 5e6, WARMUP_NS = 2e6;
static const double SLOW_PAIR_NS = 1e8;  // each counts for itself
static const double FIRST_VERDICT = 10;  // epochs
static const double FEW_EPOCHS = 20;     // that a budget has room for, at least
enum { FEWEST_PAIRS = 25, ONE_CONTROL_IN = 6 };

static bool stands_by(const struct match *match)
{
    return match->items[0]->subject->standby || match->items[1]->subject->standby;
}

static double budget_ns(const struct arena *arena)
{
    return 1e9 * (arena->options->budget > 0 ? arena->options->budget : CONTEST_BUDGET_S);
}

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

void match_init(struct match *match, struct arena *arena, size_t index)
{
    *match = (struct match){.index = index,
                            .p = 1,
                            .record = {.kind = mem_text("verdict"),
                                       .side = mem_text(arena->sides[1].name),
                                       .attempts = 1}};
    for (unsigned side = 0; side < 2; side++)
        match->items[side] = &arena->sides[side].cases->items[index];
    match->together = !arena->options->apart && match->items[0]->rival && match->items[1]->rival;
    record_copy_task(&match->items[1]->task, &match->record.task);
    fail_as_prepared(match, arena);
}

void match_done(struct match *match)
{
    twin_done(&match->twin);
    free(match->changes);
    match->changes = NULL;
}

static struct bout begin_bout(struct match *match, struct arena *arena, unsigned round)
{
    struct bout bout = {.together = match->together,
                        .number = match->number,
                        .pairs = match->pairs,
                        .warm_pairs = (unsigned)(WARMUP_NS / (match->pair_ns + 1)) + 1,
                        .seed = random_bits(&arena->random) >> 1,
                        .generation = round,
                        .timeout = arena->options->timeout,
                        .max_memory = arena->options->max_memory};
    for (unsigned side = 0; side < 2; side++)
        bout.sides[side] = (struct bout_side){match->items[side], arena->sides[side].surroundings};
    if (bout.warm_pairs > DUEL_MOST_PAIRS)
        bout.warm_pairs = DUEL_MOST_PAIRS;
    return bout;
}

// One common number of calls, such that a batch of either takes about as long as it is to.
static void plan_epochs(struct match *match, double a_ns, double b_ns)
{
    double number = RIGOROUS_BATCH_NS / square_root(a_ns * b_ns);
    match->number = number > 1 ? (uint64_t)(number + .5) : 1;
    double lead_in = match->number < 3 ? 0 : 1.0 / 3;
    match->pair_ns = (a_ns + b_ns) * (double)match->number * (1 + lead_in);
    double pairs = EPOCH_NS / match->pair_ns;
    unsigned fewest = match->pair_ns > SLOW_PAIR_NS ? 1 : 3;
    match->pairs = pairs < fewest ? fewest : (unsigned)pairs;
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
        plan_epochs(match, calibrations[0].batch_ns / (double)calibrations[0].number,
                    calibrations[1].batch_ns / (double)calibrations[1].number);
        if (libraries_clash(&calibrations[0].libraries, &calibrations[1].libraries))
            match->together = false;
    }
    list_done(&calibrations[0].libraries);
    list_done(&calibrations[1].libraries);
    if (error.status == BILANX_OK && match->together && !match->twin.rival)
        error = twin_init(&match->twin, match->items[0]);
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
    if (control) {
        bout.sides[1].surroundings = bout.sides[0].surroundings;
        if (!match->together && twin.subject->standby)
            twin.subject = mirror_of(arena, twin.subject);
    }
    bout.sides[1].item = &twin;
    return bout_run(arena->way, &bout, &arena->memory, out, failure);
}

// The forks of two workers that stand by share their addresses: all of them are one draw, whose
// value is their mean. A fork costs milliseconds, an import of torch a second, and what a fork
// draws (stack and heap) spreads several times as much as what an import does: 1.9 % against .6
// for an addition of two tensors, .5 against .3 for a product.
static struct bilanx_error run_forks(struct match *match, struct arena *arena, unsigned round,
                                     bool control, struct bout_result *sum,
                                     struct bout_failure *failure)
{
    unsigned count = 1;
    for (uint64_t end_ns = monotonic_ns() + (uint64_t)(budget_ns(arena) / FEW_EPOCHS);
         monotonic_ns() < end_ns;) {
        struct bout_result one = {0};
        BILANX_TRY(run_bout(match, arena, round, control, &one, failure));
        if (one.pairs == 0)
            continue;
        count++;
        bout_add(sum, &one);
    }
    bout_scale(sum, 1.0 / count);
    return BILANX_SUCCESS;
}

// What an epoch takes besides its start.
static double epoch_ns(const struct match *match, const struct arena *arena)
{
    return stands_by(match) ? budget_ns(arena) / FEW_EPOCHS : match->pairs * match->pair_ns;
}

struct sample match_epochs(const struct match *match)
{
    return (struct sample){match->changes + match->first, match->change_count - match->first};
}

static size_t epoch_count(const struct match *match)
{
    return match->change_count - match->first;
}

static void forget_epochs(struct match *match)
{
    match->within = match->start_ns = match->time_logs[0] = match->time_logs[1] = 0;
    match->change_count = match->record.timing.epoch_count = 0;
}

static double start_ns(const struct match *match, double wall_ns)
{
    return fmax(0, wall_ns - match->pairs * match->pair_ns);
}

static unsigned most_pairs(const struct match *match, const struct arena *arena)
{
    double most = budget_ns(arena) / FEW_EPOCHS / match->pair_ns;
    return (unsigned)fmax(match->pairs, fmin(most, DUEL_MOST_PAIRS));
}

// An epoch that spends most of its time on its start is a waste. One that measures for as long as
// it starts takes at most twice as long as it might, and where pairs spread, as in 16 MiB that
// are cold, it is worth several short ones: .28 % instead of 1.1 at twice the time.
static bool lengthen(struct match *match, const struct arena *arena, double wall_ns)
{
    static const double MUCH = 1.5;
    double wanted = start_ns(match, wall_ns) / match->pair_ns, most = most_pairs(match, arena);
    if (match->change_count || match->lengthened || stands_by(match) ||
        fmin(wanted, most) < MUCH * match->pairs)
        return false;
    match->lengthened = true;
    match->pairs = (unsigned)fmin(wanted, most);
    return true;
}

static void keep(struct match *match, const struct bout_result *result, double wall_ns)
{
    mem_grow(match->changes, match->change_count, &match->change_room);
    match->changes[match->change_count++] = result->change;
    struct bilanx_timing *timing = &match->record.timing;
    timing->epochs =
        mem_resized(timing->epochs, (timing->epoch_count + 1) * sizeof *timing->epochs);
    timing->epochs[timing->epoch_count++] =
        (struct bilanx_epoch){.time = result->batch_ns[1] / 1e9 / (double)match->number,
                              .min = NAN,
                              .p25 = NAN,
                              .p75 = NAN,
                              .p99 = NAN,
                              .batches = result->pairs,
                              .disturbed = result->dropped};
    double apart = result->halves[0] - result->halves[1];
    match->within += apart * apart / 4;
    match->start_ns += start_ns(match, wall_ns);
    for (unsigned side = 0; side < 2; side++)
        match->time_logs[side] += ln(result->batch_ns[side] / (double)match->number);
}

// What a few short epochs tell: how long to make the others. Those then spread less, so that the
// short ones are left out. No verdict is possible before that, and none is lost.
static void adapt_pairs(struct match *match, const struct arena *arena)
{
    enum { PILOTS = 4 };
    struct sample epochs = match_epochs(match);
    const struct margins *margins = &arena->options->margins;
    if (epochs.count != PILOTS || match->piloted || stands_by(match))
        return;
    double change = fabs(stats_mean(epochs.values, PILOTS)), before = match->pairs;
    double pairs_of_a_start = match->start_ns / PILOTS / match->pair_ns;
    match->pairs = judge_pairs(&(struct epoch_costs){
        .start_ns = match->start_ns / PILOTS,
        .pair_ns = match->pair_ns,
        .within = match->within / PILOTS,
        .between = stats_variance(epochs.values, PILOTS),
        .room = fmax(change - margins->claim, margins->same - change),
        .alpha = margins->alpha,
        .pairs = match->pairs,
        .fewest = (unsigned)fmin(match->pairs, fmax(FEWEST_PAIRS, pairs_of_a_start)),
        .most = most_pairs(match, arena),
    });
    match->piloted = true;
    if (match->pairs > 2 * before)
        forget_epochs(match);
}

// The calibration was interrupted, and batches take far less, or more, than they are to.
static bool is_off(const struct match *match, const struct bout_result *result)
{
    double batch_ns = square_root(result->batch_ns[0] * result->batch_ns[1]);
    return (batch_ns < RIGOROUS_BATCH_NS / 2.0 || batch_ns > 2.0 * RIGOROUS_BATCH_NS) &&
           match->number > 1 && !match->replanned;
}

static void plan_again(struct match *match, const struct bout_result *result)
{
    match->replanned = true;
    plan_epochs(match, result->batch_ns[0] / (double)match->number,
                result->batch_ns[1] / (double)match->number);
}

// The machine was at fault: the pairs of an epoch spread several times as much as those of the
// calmest. What the spread is of does not matter to it, nor which side is which; so nothing that
// belongs to the code is thrown away, and never more than is kept.
static bool is_bad_moment(struct match *match, const struct bout_result *result)
{
    static const double MUCH = .03, TIMES = 4;
    if (match->calmest == 0 || result->spread < match->calmest)
        match->calmest = result->spread;
    bool bad = result->spread > MUCH && result->spread > TIMES * match->calmest &&
               match->record.redrawn < match->change_count + 2;
    match->record.redrawn += bad;
    return bad;
}

static void decide(struct match *match, const struct arena *arena)
{
    const struct margins *usual = &arena->options->margins;
    bool confirming = match->flagged != VERDICT_UNDECIDED;
    struct sample epochs = match_epochs(match);
    match->verdict = judge(&epochs, confirming ? usual : &arena->strict);
    if (match->verdict == VERDICT_UNDECIDED && judge(&epochs, usual) == VERDICT_SAME)
        match->verdict = VERDICT_SAME;
    double fewest = confirming ? FIRST_VERDICT : 2;  // before that a second run can say nothing
    bool spent = match->spent_ns + epoch_ns(match, arena) / 2 > budget_ns(arena) &&
                 (double)epochs.count >= fewest;
    if (spent && match->verdict == VERDICT_UNDECIDED)
        match->verdict = judge(&epochs, usual);
    match->done = spent || match->verdict != VERDICT_UNDECIDED;
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

static bool is_control_due(struct match *match, struct arena *arena)
{
    return epoch_count(match) > 0 && random_below(&arena->random, ONE_CONTROL_IN) == 0;
}

struct bilanx_error match_step(struct match *match, struct arena *arena, unsigned round)
{
    AUTO(bout_failure) struct bout_failure failure = {.side = 0};
    struct bilanx_error error = BILANX_SUCCESS;
    struct bout_result result = {0};
    uint64_t started_ns = monotonic_ns();
    bool control = is_control_due(match, arena);
    if (match->number == 0)
        error = calibrate(match, arena, round, &failure);
    uint64_t calibrated_ns = monotonic_ns();
    if (error.status == BILANX_OK)
        error = run_bout(match, arena, round, control, &result, &failure);
    if (error.status == BILANX_OK && result.pairs && stands_by(match))
        error = run_forks(match, arena, round, control, &result, &failure);
    double wall_ns = (double)(monotonic_ns() - calibrated_ns);
    match->record.elapsed += (double)(monotonic_ns() - started_ns) / 1e9;
    match->spent_ns += stands_by(match) ? epoch_ns(match, arena) : wall_ns;
    if (error.status == BILANX_E_INTERRUPTED || separate(match, &error, &failure))
        return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
    if (error.status == BILANX_OK && result.pairs == 0)
        error = bilanx_error_make(BILANX_E_FAILED, "its batches take no time");
    if (error.status != BILANX_OK) {
        fail(match, arena, &error, &failure);
    } else if (is_off(match, &result)) {
        plan_again(match, &result);
    } else if (!control && lengthen(match, arena, wall_ns)) {
        // its first epoch only told that
    } else if (is_bad_moment(match, &result)) {
        decide(match, arena);
    } else if (control) {
        mem_grow(arena->control, arena->control_count, &arena->control_room);
        arena->control[arena->control_count++] = result.change;
    } else {
        keep(match, &result, wall_ns);
        adapt_pairs(match, arena);
        decide(match, arena);
    }
    return BILANX_SUCCESS;
}

void match_confirm(struct match *match)
{
    match->flagged = match->verdict;
    match->first = match->change_count;
    match->verdict = VERDICT_UNDECIDED;
    match->within = match->start_ns = match->spent_ns = 0;
    match->done = false;
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

void match_conclude(struct match *match, const struct arena *arena, const char *reason)
{
    const struct margins *margins = &arena->options->margins;
    struct bilanx_verdict *verdict = mem_new(struct bilanx_verdict);
    struct sample all = {match->changes, match->change_count};
    struct finding finding = judge_sample(&all, margins);
    *verdict = (struct bilanx_verdict){
        .verdict = mem_text(verdict_words[match->verdict]),
        .reason = mem_text(reason),
        .baseline = mem_text(arena->sides[0].title),
        .change = exponential(finding.change) - 1,
        .interval = {judge_fraction(finding.interval.low), judge_fraction(finding.interval.high)},
        .p = finding.p,
        .detectable =
            match->verdict == VERDICT_UNDECIDED ? judge_detectable(&finding, margins) : NAN,
        .changes = match->changes,
        .change_count = match->change_count};
    for (unsigned side = 0; side < 2 && all.count; side++)
        verdict->times[side] = exponential(match->time_logs[side] / (double)all.count) / 1e9;
    match->changes = NULL;
    match->record.verdict = verdict;
    add_notes(match, arena);
    match->record.machine = machine_facts("");
}

// interleaved: compares the cases of two sides and reaches verdicts.
#include "interleaved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ab/verdict/reasons.h"
#include "ab/verdict/trial.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/stats/sequence.h"

// How many cases run at a time, so that they share a slow minute. With standby workers it is all of
// them: each round starts new workers, which serve every case.
enum { GROUP = 8 };

struct whole {
    struct trial_shared shared;
    const struct interleaved_observer *observer;
    struct trial *trials;
    size_t count;
    unsigned round;  // number of the next one: it never repeats, as it decides what is drawn
};

static void shared_init(struct trial_shared *shared, const struct interleaved_side sides[2],
                        const struct interleaved_options *options)
{
    *shared = (struct trial_shared){.sides = sides,
                                    .options = options,
                                    .way = options->way ? options->way : &paired_by_workers,
                                    .usual = options->margins,
                                    .strict = options->margins};
    size_t count = sides[0].cases->count;
    shared->strict.alpha /= count ? (double)count : 1;
    random_init(&shared->random, options->seed ? options->seed : random_fresh_seed());
    shared->draws = random_bits(&shared->random);
    core_floor_load(&shared->core);
}

static void shared_done(struct trial_shared *shared)
{
    core_floor_save(&shared->core);
    for (size_t i = 0; i < shared->spare_count; i++) {
        run_standby_free(shared->spares[i].copy->standby);
        free(shared->spares[i].copy);
    }
    free(shared->spares);
    free(shared->control);
    temporary_done(&shared->folder);
    duel_mapping_done(&shared->mapping);
}

static bool is_flagged(const struct trial *trial)
{
    return trial->verdict == VERDICT_SLOWER || trial->verdict == VERDICT_FASTER;
}

// Whether a second run contradicts the first.
static bool is_refuted(const struct trial *trial)
{
    return trial->flagged != VERDICT_UNDECIDED && trial->verdict != trial->flagged;
}

// Whether the claim is certain enough for one among all cases. Otherwise it waits for the rest.
static bool is_strict(const struct whole *whole, const struct trial *trial)
{
    struct sample epochs = trial_epochs(trial);
    struct margins strict = trial_margins(trial, &whole->shared.strict);
    return judge(&epochs, &strict) == trial->verdict;
}

static bool is_word(const struct bilanx_verdict *verdict, enum verdict word)
{
    return strcmp(verdict->verdict, verdict_words[word]) == 0;
}

// Whether the verdict on all epochs still holds within these margins.
static bool still_holds(const struct bilanx_verdict *verdict, const struct finding *finding,
                        const struct margins *margins)
{
    bool said = is_word(verdict, VERDICT_SLOWER) || is_word(verdict, VERDICT_FASTER) ||
                is_word(verdict, VERDICT_SAME);
    return !said || is_word(verdict, judge_interval(&finding->interval, margins));
}

static void take_back(struct bilanx_verdict *verdict, enum verdict word, const char *reason)
{
    free(verdict->verdict);
    free(verdict->reason);
    verdict->verdict = mem_text(verdict_words[word]);
    verdict->reason = mem_text(reason);
}

bool interleaved_revise(const struct interleaved_summary *summary, const struct margins *margins,
                        struct bilanx_verdict *verdict)
{
    if (summary->biased) {
        bool known = is_word(verdict, VERDICT_BIASED);
        if (!known)
            take_back(verdict, VERDICT_BIASED, reason_biased);
        return !known;
    }
    struct margins wider = *margins;
    wider.bias = summary->bias;
    struct sample epochs = {verdict->changes, verdict->change_count};
    if (verdict->layout_count >= PLAN_FIRST_VERDICT)
        epochs = (struct sample){verdict->layouts, verdict->layout_count};
    struct finding finding = judge_sample(&epochs, &wider);
    if (summary->bias == 0 || still_holds(verdict, &finding, &wider))
        return false;
    AUTO(text) struct text reason = {0};
    reason_add_bias(&reason, summary->bias);
    take_back(verdict, VERDICT_UNDECIDED, text_get(&reason));
    verdict->interval[0] = judge_fraction(finding.interval.low);
    verdict->interval[1] = judge_fraction(finding.interval.high);
    verdict->p = finding.p;
    verdict->detectable = judge_detectable(&finding, &wider);
    return true;
}

static void tell(struct whole *whole, struct trial *trial)
{
    AUTO(text) struct text reason = {0};
    if (!trial->record.error) {
        if (whole->shared.biased) {
            text_add(&reason, reason_biased);
            trial->verdict = VERDICT_BIASED;
        } else if (is_refuted(trial)) {
            reason_add_refuted(&reason, trial);
            trial->verdict = VERDICT_UNDECIDED;
        } else {
            reason_add(&reason, trial, &whole->shared);
        }
        trial_conclude(trial, &whole->shared, text_get(&reason));
    }
    whole->observer->finished(whole->observer->context, trial->index, &trial->record);
    trial_done(trial);
    trial->index = SIZE_MAX;  // reported
}

static bool is_told(const struct trial *trial)
{
    return trial->index == SIZE_MAX;
}

static double p_of(const struct whole *whole, const struct trial *trial)
{
    struct sample epochs = trial_epochs(trial);
    struct margins usual = trial_margins(trial, &whole->shared.usual);
    return trial->unresolved ? 1 : judge_sample(&epochs, &usual).p;
}

// One run is enough for a single, undisturbed case.
static bool needs_confirmation(const struct whole *whole, const struct trial *trial)
{
    return is_flagged(trial) && trial->flagged == VERDICT_UNDECIDED &&
           !whole->shared.options->unconfirmed && (whole->count > 1 || trial_is_doubtful(trial));
}

// After the last epoch: confirms, reports, or keeps the case until all others are known.
static void finish(struct whole *whole, struct trial *trial)
{
    trial_note_load(trial, &whole->shared);
    if (!trial->record.error && trial->flagged == VERDICT_UNDECIDED)
        trial->p = p_of(whole, trial);
    if (trial->record.error || !needs_confirmation(whole, trial))
        tell(whole, trial);
    else if (is_strict(whole, trial))
        trial_confirm(trial);
}

// Finds trials whose next epoch is due. If there are none, `next_ns` is when the next one is; 0:
// never.
static size_t find_due(const struct trial *trials, size_t count, size_t *order, uint64_t *next_ns)
{
    size_t due = 0;
    uint64_t now_ns = monotonic_ns();
    *next_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trial *trial = &trials[i];
        if (is_told(trial) || trial->done)
            continue;
        if (trial->not_before_ns <= now_ns)
            order[due++] = i;
        else if (*next_ns == 0 || trial->not_before_ns < *next_ns)
            *next_ns = trial->not_before_ns;
    }
    return due;
}

static struct bilanx_error wait_until(uint64_t moment_ns)
{
    while (monotonic_ns() < moment_ns) {
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return BILANX_SUCCESS;
}

// By the time they may take. Most take less.
static double share_of_unfinished(const struct whole *whole)
{
    static const double ALMOST = 0.95;
    double sum = 0;
    for (size_t i = 0; i < whole->count; i++) {
        const struct trial *trial = &whole->trials[i];
        double share = trial->spent_ns / trial->plan.budget_ns;
        sum += is_told(trial) ? 0 : share < ALMOST ? share : ALMOST;
    }
    return sum;
}

// Each round runs one epoch of every unfinished trial, in random order.
static struct bilanx_error run_rounds(struct whole *whole, struct trial *trials, size_t count)
{
    AUTO(memory) size_t *order = mem_array(size_t, count);
    for (;; whole->round++) {
        uint64_t next_ns;
        size_t due = find_due(trials, count, order, &next_ns);
        if (due == 0 && next_ns == 0)
            return BILANX_SUCCESS;
        if (due == 0)
            BILANX_TRY(wait_until(next_ns));
        random_shuffle(&whole->shared.random, order, due);
        for (size_t i = 0; i < due; i++) {
            struct trial *trial = &trials[order[i]];
            if (whole->observer->working)
                whole->observer->working(whole->observer->context, trial->items[1],
                                         share_of_unfinished(whole));
            BILANX_TRY(trial_step(trial, &whole->shared, whole->round));
            if (trial->done)
                finish(whole, trial);
        }
    }
}

static bool any_stands_by(const struct interleaved_side *side)
{
    for (size_t i = 0; i < side->cases->count; i++)
        if (!side->cases->items[i].failure && side->cases->items[i].subject->standby)
            return true;
    return false;
}

static struct bilanx_error run_groups(struct whole *whole)
{
    const struct interleaved_side *sides = whole->shared.sides;
    size_t width = any_stands_by(&sides[0]) || any_stands_by(&sides[1]) ? whole->count : GROUP;
    for (size_t first = 0; first < whole->count; first += width) {
        size_t left = whole->count - first;
        struct trial *group = whole->trials + first;
        for (size_t i = 0; i < left && i < width; i++)
            if (group[i].done)  // failed before it could run
                tell(whole, &group[i]);
        BILANX_TRY(run_rounds(whole, group, left < width ? left : width));
    }
    return BILANX_SUCCESS;
}

// Among claims that are not certain on their own, accepts those unlikely to be due to chance given
// the number of cases.
static struct bilanx_error settle(struct whole *whole)
{
    AUTO(memory) double *p = mem_array(double, whole->count);
    AUTO(memory) bool *found = mem_array(bool, whole->count);
    for (size_t i = 0; i < whole->count; i++)
        p[i] = whole->trials[i].p;
    sequence_discoveries(p, whole->count, whole->shared.options->margins.alpha, found);
    for (size_t i = 0; i < whole->count; i++) {
        struct trial *trial = &whole->trials[i];
        if (is_told(trial))
            continue;
        if (found[i])
            trial_confirm(trial);
        else {
            trial->verdict = VERDICT_UNDECIDED;
            tell(whole, trial);
        }
    }
    return run_rounds(whole, whole->trials, whole->count);
}

// After ^C: reports the result of the first run, and that it was not confirmed.
static void abandon(struct whole *whole, struct trial *trial)
{
    if (trial->flagged != VERDICT_UNDECIDED) {
        trial->verdict = trial->flagged;
        trial->flagged = VERDICT_UNDECIDED;
        record_warn(&trial->record, "not-confirmed",
                    "stopped by ^C before a second run could confirm it");
        tell(whole, trial);
        return;
    }
    bilanx_record_done(&trial->record);
    trial_done(trial);
}

struct bilanx_error interleaved_compare(const struct interleaved_side sides[2],
                                        const struct interleaved_options *options,
                                        const struct interleaved_observer *observer,
                                        struct interleaved_summary *out)
{
    struct whole whole = {.observer = observer, .count = sides[0].cases->count};
    shared_init(&whole.shared, sides, options);
    struct bilanx_error error = duel_mapping_init(&whole.shared.mapping);
    whole.trials = mem_array(struct trial, whole.count);
    for (size_t i = 0; i < whole.count; i++)
        trial_init(&whole.trials[i], &whole.shared, i);
    if (error.status == BILANX_OK)
        error = run_groups(&whole);
    if (error.status == BILANX_OK)
        error = settle(&whole);
    for (size_t i = 0; i < whole.count; i++)
        if (!is_told(&whole.trials[i]))
            abandon(&whole, &whole.trials[i]);
    free(whole.trials);
    struct sample control = {whole.shared.control, whole.shared.control_count};
    *out = (struct interleaved_summary){.control = judge_sample(&control, &options->margins),
                                        .control_epochs = control.count,
                                        .bias = whole.shared.usual.bias,
                                        .biased = whole.shared.biased};
    shared_done(&whole.shared);
    return error;
}

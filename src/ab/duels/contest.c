// contest: cases of two sides, to verdicts.
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ab/duels/match.h"
#include "ab/duels/reasons.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "core/stats/elementary.h"
#include "core/stats/sequence.h"

// How many cases are under way at a time, so that a slow minute is shared. Where workers stand by,
// all are: each round is of new workers, which serve every case.
enum { GROUP = 8 };

struct whole {
    struct arena arena;
    const struct contest_observer *observer;
    struct match *matches;
    size_t count;
};

static void arena_init(struct arena *arena, const struct contest_side sides[2],
                       const struct contest_options *options)
{
    *arena = (struct arena){.sides = sides,
                            .options = options,
                            .way = options->way ? options->way : &bout_by_workers,
                            .usual = options->margins,
                            .strict = options->margins};
    size_t count = sides[0].cases->count;
    arena->strict.alpha /= count ? (double)count : 1;
    random_init(&arena->random, options->seed ? options->seed : random_fresh_seed());
    arena->draws = random_bits(&arena->random);
}

static void arena_done(struct arena *arena)
{
    for (size_t i = 0; i < arena->mirror_count; i++) {
        run_standby_free(arena->mirrors[i].copy->standby);
        free(arena->mirrors[i].copy);
    }
    free(arena->mirrors);
    free(arena->control);
    temporary_done(&arena->folder);
    duel_arena_done(&arena->memory);
}

static bool is_flagged(const struct match *match)
{
    return match->verdict == VERDICT_SLOWER || match->verdict == VERDICT_FASTER;
}

// A second run does not say what the first one said.
static bool is_refuted(const struct match *match)
{
    return match->flagged != VERDICT_UNDECIDED && match->verdict != match->flagged;
}

// Whether it is claimed with certainty enough for one of all cases. What is not waits for the rest.
static bool is_strict(const struct whole *whole, const struct match *match)
{
    struct sample epochs = match_epochs(match);
    struct margins strict = match_margins(match, &whole->arena.strict);
    return judge(&epochs, &strict) == match->verdict;
}

static bool is_word(const struct bilanx_verdict *verdict, enum verdict word)
{
    return strcmp(verdict->verdict, verdict_words[word]) == 0;
}

// Whether what was said of all epochs still holds within these margins.
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

bool contest_revise(const struct contest_summary *summary, const struct margins *margins,
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

static void tell(struct whole *whole, struct match *match)
{
    AUTO(text) struct text reason = {0};
    if (!match->record.error) {
        if (whole->arena.biased) {
            text_add(&reason, reason_biased);
            match->verdict = VERDICT_BIASED;
        } else if (is_refuted(match)) {
            reason_add_refuted(&reason, match);
            match->verdict = VERDICT_UNDECIDED;
        } else {
            reason_add(&reason, match, &whole->arena);
        }
        match_conclude(match, &whole->arena, text_get(&reason));
    }
    whole->observer->finished(whole->observer->context, match->index, &match->record);
    match_done(match);
    match->index = SIZE_MAX;  // told
}

static bool is_told(const struct match *match)
{
    return match->index == SIZE_MAX;
}

static double p_of(const struct whole *whole, const struct match *match)
{
    struct sample epochs = match_epochs(match);
    struct margins usual = match_margins(match, &whole->arena.usual);
    return match->unresolved ? 1 : judge_sample(&epochs, &usual).p;
}

// One look is enough where a case stands alone and nobody disturbed it.
static bool needs_confirmation(const struct whole *whole, const struct match *match)
{
    return is_flagged(match) && match->flagged == VERDICT_UNDECIDED &&
           !whole->arena.options->unconfirmed && (whole->count > 1 || match_is_doubtful(match));
}

// After its last epoch: confirmed, told, or kept until all others are known.
static void finish(struct whole *whole, struct match *match)
{
    match_note_load(match, &whole->arena);
    if (!match->record.error && match->flagged == VERDICT_UNDECIDED)
        match->p = p_of(whole, match);
    if (match->record.error || !needs_confirmation(whole, match))
        tell(whole, match);
    else if (is_strict(whole, match))
        match_confirm(match);
}

// Those whose next epoch is due; where there is none, `next_ns` is when the next one is, 0: never.
static size_t find_due(const struct match *matches, size_t count, size_t *order, uint64_t *next_ns)
{
    size_t due = 0;
    uint64_t now_ns = monotonic_ns();
    *next_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct match *match = &matches[i];
        if (is_told(match) || match->done)
            continue;
        if (match->not_before_ns <= now_ns)
            order[due++] = i;
        else if (*next_ns == 0 || match->not_before_ns < *next_ns)
            *next_ns = match->not_before_ns;
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

// Each round is one epoch of every match that is not done yet, in an order of its own.
static struct bilanx_error run_rounds(struct whole *whole, struct match *matches, size_t count)
{
    AUTO(memory) size_t *order = mem_array(size_t, count);
    for (unsigned round = 0;; round++) {
        uint64_t next_ns;
        size_t due = find_due(matches, count, order, &next_ns);
        if (due == 0 && next_ns == 0)
            return BILANX_SUCCESS;
        if (due == 0)
            BILANX_TRY(wait_until(next_ns));
        random_shuffle(&whole->arena.random, order, due);
        for (size_t i = 0; i < due; i++) {
            struct match *match = &matches[order[i]];
            if (whole->observer->working)
                whole->observer->working(whole->observer->context, match->items[1]);
            BILANX_TRY(match_step(match, &whole->arena, round));
            if (match->done)
                finish(whole, match);
        }
    }
}

static bool any_stands_by(const struct contest_side *side)
{
    for (size_t i = 0; i < side->cases->count; i++)
        if (!side->cases->items[i].failure && side->cases->items[i].subject->standby)
            return true;
    return false;
}

static struct bilanx_error run_groups(struct whole *whole)
{
    const struct contest_side *sides = whole->arena.sides;
    size_t width = any_stands_by(&sides[0]) || any_stands_by(&sides[1]) ? whole->count : GROUP;
    for (size_t first = 0; first < whole->count; first += width) {
        size_t left = whole->count - first;
        struct match *group = whole->matches + first;
        for (size_t i = 0; i < left && i < width; i++)
            if (group[i].done)  // it failed before it could be run
                tell(whole, &group[i]);
        BILANX_TRY(run_rounds(whole, group, left < width ? left : width));
    }
    return BILANX_SUCCESS;
}

// Of what is no certainty by itself: so much as is unlikely to be chance, among so many.
static struct bilanx_error settle(struct whole *whole)
{
    AUTO(memory) double *p = mem_array(double, whole->count);
    AUTO(memory) bool *found = mem_array(bool, whole->count);
    for (size_t i = 0; i < whole->count; i++)
        p[i] = whole->matches[i].p;
    sequence_discoveries(p, whole->count, whole->arena.options->margins.alpha, found);
    for (size_t i = 0; i < whole->count; i++) {
        struct match *match = &whole->matches[i];
        if (is_told(match))
            continue;
        if (found[i])
            match_confirm(match);
        else {
            match->verdict = VERDICT_UNDECIDED;
            tell(whole, match);
        }
    }
    return run_rounds(whole, whole->matches, whole->count);
}

// Somebody pressed ^C. What a first run found is told, and that nothing confirmed it.
static void abandon(struct whole *whole, struct match *match)
{
    if (match->flagged != VERDICT_UNDECIDED) {
        match->verdict = match->flagged;
        match->flagged = VERDICT_UNDECIDED;
        record_warn(&match->record, "not-confirmed",
                    "stopped by ^C before a second run could confirm it");
        tell(whole, match);
        return;
    }
    bilanx_record_done(&match->record);
    match_done(match);
}

struct bilanx_error contest_run(const struct contest_side sides[2],
                                const struct contest_options *options,
                                const struct contest_observer *observer,
                                struct contest_summary *out)
{
    struct whole whole = {.observer = observer, .count = sides[0].cases->count};
    arena_init(&whole.arena, sides, options);
    struct bilanx_error error = duel_arena_init(&whole.arena.memory);
    whole.matches = mem_array(struct match, whole.count);
    for (size_t i = 0; i < whole.count; i++)
        match_init(&whole.matches[i], &whole.arena, i);
    if (error.status == BILANX_OK)
        error = run_groups(&whole);
    if (error.status == BILANX_OK)
        error = settle(&whole);
    for (size_t i = 0; i < whole.count; i++)
        if (!is_told(&whole.matches[i]))
            abandon(&whole, &whole.matches[i]);
    free(whole.matches);
    struct sample control = {whole.arena.control, whole.arena.control_count};
    *out = (struct contest_summary){.control = judge_sample(&control, &options->margins),
                                    .control_epochs = control.count,
                                    .bias = whole.arena.usual.bias,
                                    .biased = whole.arena.biased};
    arena_done(&whole.arena);
    return error;
}

// contest: cases of two sides, to verdicts.
#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "contest/match.h"
#include "stats/elementary.h"
#include "stats/sequence.h"

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
    duel_arena_done(&arena->memory);
}

static bool is_biased(const struct arena *arena)
{
    struct sample control = {arena->control, arena->control_count};
    return judge_biased(&control, &arena->options->margins);
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
    return judge(&epochs, &whole->arena.strict) == match->verdict;
}

static void add_share(struct text *out, double fraction)
{
    text_format(out, "%.2g %%", 100 * fraction);
}

static const char BIASED[] = "the first side differs from itself: nothing that this harness says "
                             "here can be relied on";

bool contest_withhold(struct bilanx_verdict *verdict)
{
    if (strcmp(verdict->verdict, verdict_words[VERDICT_BIASED]) == 0)
        return false;
    free(verdict->verdict);
    free(verdict->reason);
    verdict->verdict = mem_text(verdict_words[VERDICT_BIASED]);
    verdict->reason = mem_text(BIASED);
    return true;
}

static void explain(const struct whole *whole, const struct match *match, struct text *out)
{
    const struct margins *margins = &whole->arena.options->margins;
    if (is_flagged(match)) {
        text_add(out, "its whole interval is beyond ");
        add_share(out, margins->claim);
        if (match->flagged != VERDICT_UNDECIDED)
            text_add(out, ", in a second run as well");
    } else if (match->verdict == VERDICT_SAME) {
        text_add(out, "its whole interval is within ");
        add_share(out, margins->same);
    } else {
        struct sample epochs = match_epochs(match);
        struct finding finding = judge_sample(&epochs, margins);
        double detectable = judge_detectable(&finding, margins);
        text_add(out, "its time is spent");
        if (isinf(detectable))
            text_format(out, " after %zu epochs, too few to say anything", epochs.count);
        else {
            text_add(out, "; a change of ");
            add_share(out, detectable);
            text_add(out, " would have been found");
        }
    }
}

static void tell(struct whole *whole, struct match *match)
{
    AUTO(text) struct text reason = {0};
    if (!match->record.error) {
        if (is_biased(&whole->arena)) {
            text_add(&reason, BIASED);
            match->verdict = VERDICT_BIASED;
        } else if (is_refuted(match)) {
            text_format(&reason, "a first run said %s, a second one %s",
                        verdict_words[match->flagged], verdict_words[match->verdict]);
            match->verdict = VERDICT_UNDECIDED;
        } else {
            explain(whole, match, &reason);
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
    return judge_sample(&epochs, &whole->arena.options->margins).p;
}

// After its last epoch: confirmed, told, or kept until all others are known.
static void finish(struct whole *whole, struct match *match)
{
    bool confirming = match->flagged != VERDICT_UNDECIDED;
    if (!match->record.error && !confirming)
        match->p = p_of(whole, match);
    if (match->record.error || !is_flagged(match) || confirming || whole->count == 1 ||
        whole->arena.options->unconfirmed)
        tell(whole, match);
    else if (is_strict(whole, match))
        match_confirm(match);
}

// Each round is one epoch of every match that is not done yet, in an order of its own.
static struct bilanx_error run_rounds(struct whole *whole, struct match *matches, size_t count)
{
    AUTO(memory) size_t *order = mem_array(size_t, count);
    for (unsigned round = 0;; round++) {
        size_t open = 0;
        for (size_t i = 0; i < count; i++)
            if (!is_told(&matches[i]) && !matches[i].done)
                order[open++] = i;
        if (open == 0)
            return BILANX_SUCCESS;
        random_shuffle(&whole->arena.random, order, open);
        for (size_t i = 0; i < open; i++) {
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
    *out = (struct contest_summary){judge_sample(&control, &options->margins), control.count,
                                    is_biased(&whole.arena)};
    arena_done(&whole.arena);
    return error;
}

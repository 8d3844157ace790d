// comparison: opens, prepares, times and counts every side against the first.
#include "comparison.h"

#include <stdlib.h>

#include "ab/comparison/instructions.h"
#include "ab/comparison/joined_records.h"
#include "ab/comparison/layout_suspicion.h"
#include "ab/comparison/no_difference.h"
#include "ab/comparison/sentries.h"
#include "ab/comparison/side_cases.h"
#include "base/mem.h"

struct comparison {
    const struct ab_options *options;
    const struct ab_observer *observer;
    struct tell note;
};

// Two sides being compared.
struct pairing {
    const struct comparison *comparison;
    struct ab_side *first, *other;
    struct ab_results *results;
    size_t *places;  // index among all cases of each case that is timed
};

void ab_results_done(struct ab_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        bilanx_record_done(&results->records[i]);
        free(results->names[i]);
    }
    free(results->records);
    free(results->names);
}

static void report(const struct ab_observer *observer, const struct bilanx_record *record)
{
    if (observer->finished && record->kind)
        observer->finished(observer->context, record);
}

static void working(void *context, const struct run_case *item, double ahead)
{
    const struct ab_observer *observer = ((struct pairing *)context)->comparison->observer;
    if (observer->working)
        observer->working(observer->context, item, ahead);
}

static void finished(void *context, size_t at, struct bilanx_record *record)
{
    struct pairing *pairing = context;
    size_t index = pairing->places[at];
    ab_suspect_layout(pairing->comparison->options, pairing->first, pairing->other, index, record);
    record->place = pairing->first->cases.items[index].place + 1;
    report(pairing->comparison->observer, record);
    pairing->results->records[index] = *record;
}

// The control result may be known only after some verdicts were reported. Verdicts that it does not
// allow are reported again as withdrawn.
static void revise(const struct pairing *pairing, size_t timed)
{
    const struct comparison *comparison = pairing->comparison;
    for (size_t i = 0; i < timed; i++) {
        struct bilanx_record *record = &pairing->results->records[pairing->places[i]];
        if (record->verdict && interleaved_revise(&pairing->results->summary,
                                                  &comparison->options->margins, record->verdict))
            report(comparison->observer, record);
    }
}

// Selects the cases to time; the sides make no difference to the others. Returns how many.
static size_t choose_timed(struct pairing *pairing)
{
    struct ab_side *first = pairing->first, *other = pairing->other;
    size_t timed = 0;
    for (size_t i = 0; i < first->cases.count; i++) {
        if (!ab_makes_no_difference(first, other, i)) {
            pairing->places[timed++] = i;
            continue;
        }
        pairing->results->records[i] = ab_same_without_times(first, other, i);
        report(pairing->comparison->observer, &pairing->results->records[i]);
    }
    return timed;
}

// The caller frees the array. What the cases refer to belongs to the side.
static struct run_cases cases_at(const struct run_cases *all, const size_t *places, size_t count)
{
    struct run_cases chosen = {.items = mem_array(struct run_case, count), .count = count};
    for (size_t i = 0; i < count; i++)
        chosen.items[i] = all->items[places[i]];
    return chosen;
}

static struct bilanx_error time_chosen(struct pairing *pairing, size_t timed)
{
    const struct ab_side *first = pairing->first, *other = pairing->other;
    const struct interleaved_options options =
        ab_interleaved_options(pairing->comparison->options, first, other);
    const struct run_cases cases[] = {cases_at(&first->cases, pairing->places, timed),
                                      cases_at(&other->cases, pairing->places, timed)};
    const struct interleaved_side sides[] = {ab_interleaved_side(first, &cases[0]),
                                             ab_interleaved_side(other, &cases[1])};
    struct bilanx_error error = interleaved_compare(
        sides, &options, &(struct interleaved_observer){pairing, working, finished},
        &pairing->results->summary);
    free(cases[0].items);
    free(cases[1].items);
    return error;
}

static struct bilanx_error interleave(struct pairing *pairing)
{
    struct ab_results *results = pairing->results;
    const struct run_cases *cases = &pairing->first->cases;
    AUTO(memory) size_t *places = mem_array(size_t, cases->count);
    pairing->places = places;
    *results = (struct ab_results){.records = mem_array(struct bilanx_record, cases->count),
                                   .names = mem_array(char *, cases->count),
                                   .count = cases->count};
    for (size_t i = 0; i < cases->count; i++)
        results->names[i] = mem_text(cases->items[i].name);
    size_t timed = choose_timed(pairing);
    if (!timed)
        return BILANX_SUCCESS;
    results->interleaved = true;
    struct bilanx_error error = time_chosen(pairing, timed);
    revise(pairing, timed);
    return error;
}

static struct bilanx_error join(struct pairing *pairing)
{
    const struct comparison *comparison = pairing->comparison;
    BILANX_TRY(ab_compare_stored(comparison->options, &comparison->note, pairing->first,
                                 pairing->other, pairing->results));
    for (size_t i = 0; i < pairing->results->count; i++)
        report(comparison->observer, &pairing->results->records[i]);
    return BILANX_SUCCESS;
}

static struct bilanx_error begin(const struct comparison *comparison, const struct ab_pair *pair,
                                 size_t case_count)
{
    const struct ab_observer *observer = comparison->observer;
    return observer->begun ? observer->begun(observer->context, pair, case_count) : BILANX_SUCCESS;
}

static bool is_stored(const struct ab_side *first, const struct ab_side *other)
{
    return ab_is_stored(first) || ab_is_stored(other);
}

// Returns errors that end the whole comparison; stores others with the pair.
static struct bilanx_error part(struct bilanx_error error, struct bilanx_error *of_pair)
{
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    *of_pair = error;
    return BILANX_SUCCESS;
}

static struct bilanx_error time_pair(const struct comparison *comparison, struct ab_side *first,
                                     struct ab_side *other)
{
    AUTO(ab_results) struct ab_results results = {0};
    struct pairing pairing = {comparison, first, other, &results};
    const struct ab_pair pair = {first->side, other->side};
    BILANX_TRY(begin(comparison, &pair, first->cases.count));
    struct bilanx_error error = is_stored(first, other) ? join(&pairing) : interleave(&pairing);
    error = part(error, &results.error);
    if (comparison->observer->compared)
        comparison->observer->compared(comparison->observer->context, &pair, &results);
    return error;
}

static struct bilanx_error take_counts(const struct comparison *comparison, struct ab_side *first,
                                       struct ab_side *other, struct ab_counts *out)
{
    const struct ab_options *options = comparison->options;
    if (is_stored(first, other))
        return ab_count_stored(options, &comparison->note, first, other, out);
    BILANX_TRY(ab_check_sentries(options, &comparison->note, first, other));
    return ab_count(options, first, other, out);
}

// Without times, the verdict is on the counts.
static void report_counts(const struct comparison *comparison, const struct ab_side *first,
                          struct ab_counts *counts)
{
    for (size_t i = 0; i < counts->count && i < first->cases.count; i++)
        counts->before[i].place = counts->after[i].place = first->cases.items[i].place + 1;
    for (size_t i = 0; i < counts->count; i++) {
        report(comparison->observer, &counts->before[i]);
        report(comparison->observer, &counts->after[i]);
    }
    if (!comparison->options->no_time)
        return;
    ab_judge_counts(&comparison->options->margins, first->side, counts);
    for (size_t i = 0; i < counts->count; i++) {
        counts->verdicts[i].place = counts->before[i].place;
        report(comparison->observer, &counts->verdicts[i]);
    }
}

static struct bilanx_error count_pair(const struct comparison *comparison, struct ab_side *first,
                                      struct ab_side *other)
{
    AUTO(ab_counts) struct ab_counts counts = {0};
    const struct ab_pair pair = {first->side, other->side};
    BILANX_TRY(begin(comparison, &pair, first->cases.count));
    AUTO(text) struct text why = {0};
    struct bilanx_error error = take_counts(comparison, first, other, &counts);
    if (error.status == BILANX_OK && ab_counts_differ(&counts, &why))
        tell_line(&comparison->note, text_get(&why));
    if (error.status == BILANX_OK)
        report_counts(comparison, first, &counts);
    error = part(error, &counts.error);
    if (comparison->observer->counted)
        comparison->observer->counted(comparison->observer->context, &pair, &counts);
    return error;
}

// The cases of all sides are parallel.
static void keep_examined(const struct comparison *comparison, struct ab_sides *sides)
{
    const struct ab_observer *observer = comparison->observer;
    size_t count = sides->items[0].cases.count, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!observer->examines(observer->context, sides->items[0].cases.items[i].name))
            continue;
        for (size_t side = 0; side < sides->count; side++)
            sides->items[side].cases.items[kept] = sides->items[side].cases.items[i];
        kept++;
    }
    for (size_t side = 0; side < sides->count; side++)
        sides->items[side].cases.count = kept;
}

static bool any_stored(const struct ab_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        if (ab_is_stored(&sides->items[i]))
            return true;
    return false;
}

// Counts the same cases, compiled for valgrind.
static struct bilanx_error count_all(const struct comparison *comparison,
                                     const struct ab_sides *sides)
{
    AUTO(ab_sides) struct ab_sides counted = {0};
    ab_borrow_sides(sides, &counted);
    BILANX_TRY(
        ab_prepare(comparison->options, comparison->observer, SOURCE_FOR_VALGRIND, &counted));
    if (!comparison->options->count && !any_stored(&counted))
        keep_examined(comparison, &counted);
    for (size_t i = 1; i < counted.count; i++)
        BILANX_TRY(count_pair(comparison, &counted.items[0], &counted.items[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_error time_all(const struct comparison *comparison, struct ab_sides *sides)
{
    BILANX_TRY(ab_prepare(comparison->options, comparison->observer, SOURCE_TO_TIME, sides));
    for (size_t i = 1; i < sides->count; i++)
        BILANX_TRY(time_pair(comparison, &sides->items[0], &sides->items[i]));
    return BILANX_SUCCESS;
}

// Hands out the same cases of all sides, compiled for a sampler.
static struct bilanx_error sample_all(const struct comparison *comparison,
                                      const struct ab_sides *sides)
{
    const struct ab_observer *observer = comparison->observer;
    AUTO(ab_sides) struct ab_sides sampled = {0};
    ab_borrow_sides(sides, &sampled);
    BILANX_TRY(ab_prepare(comparison->options, observer, SOURCE_TO_SAMPLE, &sampled));
    AUTO(memory) struct ab_sampled_side *handed = mem_array(struct ab_sampled_side, sampled.count);
    for (size_t i = 0; i < sampled.count; i++)
        handed[i] = (struct ab_sampled_side){sampled.items[i].side, &sampled.items[i].cases};
    return observer->sample(observer->context, handed, sampled.count);
}

// Optional steps: if they fail, the comparison is still complete.
static struct bilanx_error tolerate(const struct comparison *comparison, const char *what,
                                    struct bilanx_error error)
{
    const struct ab_observer *observer = comparison->observer;
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    observer->missed(observer->context, what, error);
    return BILANX_SUCCESS;
}

static struct bilanx_error count_examined(const struct comparison *comparison,
                                          const struct ab_sides *sides)
{
    if (sides->items[0].side->kind == &side_command)
        return bilanx_error_make(BILANX_E_USAGE, "commands are not counted");
    return count_all(comparison, sides);
}

static struct bilanx_error examine(const struct comparison *comparison,
                                   const struct ab_sides *sides)
{
    const struct ab_observer *observer = comparison->observer;
    if (!observer->examines(observer->context, NULL))
        return BILANX_SUCCESS;
    if (!comparison->options->count)
        BILANX_TRY(tolerate(comparison, "counts by function", count_examined(comparison, sides)));
    return tolerate(comparison, "flame graphs", sample_all(comparison, sides));
}

static struct bilanx_error report_opened(const struct ab_observer *observer,
                                         const struct ab_sides *sides)
{
    if (!observer->opened)
        return BILANX_SUCCESS;
    AUTO(memory) const struct side **opened = mem_array(const struct side *, sides->count);
    for (size_t i = 0; i < sides->count; i++)
        opened[i] = sides->items[i].side;
    return observer->opened(observer->context, opened, sides->count);
}

struct bilanx_error ab_compare(const struct ab_options *options, const struct ab_observer *observer)
{
    const struct comparison comparison = {options, observer, {observer->note, observer->context}};
    AUTO(ab_sides) struct ab_sides sides = {0};
    BILANX_TRY(ab_open_sides(options, observer, &sides));
    BILANX_TRY(report_opened(observer, &sides));
    if (!options->no_time)
        BILANX_TRY(time_all(&comparison, &sides));
    if (options->count)
        BILANX_TRY(count_all(&comparison, &sides));
    if (options->examine)
        return examine(&comparison, &sides);
    return observer->sample ? sample_all(&comparison, &sides) : BILANX_SUCCESS;
}

// bisect: finds the first commit that made a case slower.
#include "bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/comparison/alignment.h"
#include "ab/comparison/bisect_range.h"
#include "ab/comparison/side_cases.h"
#include "base/mem.h"

// The search: a case, how much slower it became, and the last comparison's record of it.
struct bisect {
    const struct ab_options *options;
    const struct ab_observer *observer;
    char *name;     // case name; NULL: any that is slower
    double change;  // between both ends
    struct bilanx_record found;
};

static void bisect_done(struct bisect *bisect)
{
    free(bisect->name);
    bilanx_record_done(&bisect->found);
}
SCOPE_VALUE(bisect, bisect_done)

struct judging {
    const struct run_cases *cases;
    char *worst_name;
    struct bilanx_record worst;  // the slowest of the slower cases
    bool slower, failed, undecided;
    struct bilanx_error failure;
};

static void look(void *context, size_t index, struct bilanx_record *record)
{
    struct judging *judging = context;
    const char *word = record->verdict ? record->verdict->verdict : "";
    bool slower = strcmp(word, "slower") == 0;
    judging->undecided |=
        record->verdict && !slower && strcmp(word, "faster") != 0 && strcmp(word, "same") != 0;
    if (record->error) {
        judging->failed = true;
        judging->failure = bilanx_error_make(BILANX_E_FAILED, "%s", record->error->text);
    }
    if (slower && (!judging->slower || record->verdict->change > judging->worst.verdict->change)) {
        bilanx_record_done(&judging->worst);
        free(judging->worst_name);
        judging->worst = *record;
        judging->worst_name = mem_text(judging->cases->items[index].name);
        judging->slower = true;
        return;
    }
    bilanx_record_done(record);
}

// A commit without the case cannot be judged.
static struct bilanx_error narrow(const struct bisect *bisect, struct ab_sides *sides)
{
    if (bisect->name && !ab_keep_case(sides, bisect->name))
        return bilanx_error_make(BILANX_E_FAILED, "case '%s' not found", bisect->name);
    return BILANX_SUCCESS;
}

static struct bilanx_error interleave(const struct ab_options *asked, struct ab_sides *sides,
                                      struct judging *judging)
{
    struct interleaved_side pair[] = {
        ab_interleaved_side(&sides->items[0], &sides->items[0].cases),
        ab_interleaved_side(&sides->items[1], &sides->items[1].cases)};
    struct interleaved_options options =
        ab_interleaved_options(asked, &sides->items[0], &sides->items[1]);
    struct interleaved_summary summary;
    *judging = (struct judging){.cases = &sides->items[0].cases};
    return interleaved_compare(pair, &options, &(struct interleaved_observer){judging, NULL, look},
                               &summary);
}

static bool all_same_code(struct ab_sides *sides)
{
    struct ab_side *a = &sides->items[0], *b = &sides->items[1];
    for (size_t i = 0; i < a->cases.count; i++) {
        struct ab_code before = ab_code_of(a, &a->cases.items[i]),
                       after = ab_code_of(b, &b->cases.items[i]);
        if (!ab_is_same_code(&before, &after))
            return false;
    }
    return true;
}

// Two revisions being compared.
struct step {
    const char *from, *to;
    struct margins margins;
    const struct bisect_range *range;  // fingerprints of code judged so far; NULL: none
    struct ab_code codes[2];           // of the case, once both revisions are built
    enum verdict verdict;  // VERDICT_SLOWER, VERDICT_SAME (not slower) or VERDICT_UNDECIDED
    bool skipped;          // not measured because the code is known
};

static void keep_found(struct bisect *bisect, struct judging *judging)
{
    bilanx_record_done(&bisect->found);
    bisect->found = judging->worst;
    if (!bisect->name)
        bisect->name = TAKE(judging->worst_name);
}

// Takes four times as long if needed: treating an undecided step as "not slower" would mislead the
// search.
static struct bilanx_error measure(struct bisect *bisect, struct ab_options *options,
                                   struct ab_sides *sides, struct step *step)
{
    struct judging judging = {0};
    struct bilanx_error error = interleave(options, sides, &judging);
    if (error.status == BILANX_OK && judging.undecided && !judging.slower) {
        options->budget = 4 * (options->budget > 0 ? options->budget : INTERLEAVED_BUDGET_S);
        error = interleave(options, sides, &judging);
    }
    if (error.status == BILANX_OK && judging.failed && !judging.slower)
        error = judging.failure;
    if (error.status == BILANX_OK)
        step->verdict = judging.slower      ? VERDICT_SLOWER
                        : judging.undecided ? VERDICT_UNDECIDED
                                            : VERDICT_SAME;
    if (judging.slower)
        keep_found(bisect, &judging);
    free(judging.worst_name);
    return error;
}

static void read_codes(struct ab_sides *sides, struct step *step)
{
    for (size_t i = 0; i < 2; i++)
        if (sides->items[i].cases.count == 1)
            step->codes[i] = ab_code_of(&sides->items[i], &sides->items[i].cases.items[0]);
}

// Judges by what is known about the code; returns false if it must be measured.
static bool judge_code(struct ab_sides *sides, struct step *step)
{
    read_codes(sides, step);
    step->skipped = step->range && bisect_is_known(step->range, &step->codes[1], &step->verdict);
    if (step->verdict != VERDICT_SLOWER && all_same_code(sides)) {
        step->verdict = VERDICT_SAME;
        step->skipped = true;
    }
    return step->skipped;
}

static struct bilanx_error try_revision(struct bisect *bisect, struct step *step)
{
    AUTO(ab_sides) struct ab_sides sides = {0};
    AUTO(memory) char *from = mem_format("git:%s", step->from);
    AUTO(memory) char *to = mem_format("git:%s", step->to);
    const struct ab_spec specs[] = {{"A", from}, {"B", to}};
    struct ab_options options = *bisect->options;
    options.sides = specs;
    options.side_count = 2;
    options.margins = step->margins;
    BILANX_TRY(ab_open_sides(&options, bisect->observer, &sides));
    BILANX_TRY(ab_prepare(&options, bisect->observer, SOURCE_TO_TIME, &sides));
    BILANX_TRY(narrow(bisect, &sides));
    if (judge_code(&sides, step))
        return BILANX_SUCCESS;
    BILANX_TRY(measure(bisect, &options, &sides, step));
    BILANX_TRY(narrow(bisect, &sides));  // the case may be known only now
    read_codes(&sides, step);
    return BILANX_SUCCESS;
}

static void report(const struct bisect *bisect, const char *title, const char *what,
                   const struct bilanx_record *record)
{
    if (bisect->observer->judged)
        bisect->observer->judged(bisect->observer->context, title, what, record);
}

// The commits between the revisions, and which of them remain.
struct search {
    struct list commits;
    const char *from;  // the one before the first
    struct bisect_range range;
};

static void search_done(struct search *search)
{
    list_done(&search->commits);
    bisect_range_done(&search->range);
}
SCOPE_VALUE(search, search_done)

// Decides between above and below half of the change, so no margin for equality is needed.
static struct margins step_margins(const struct bisect *bisect)
{
    struct margins margins = bisect->options->margins;
    double half = log1p(bisect->change) / 2;
    margins.claim = margins.same = fmax(margins.claim, half);
    return margins;
}

static const char *word_for(const struct step *step)
{
    static const char *const known[] = {
        [VERDICT_SLOWER] = "compiles to the same code as a slower commit",
        [VERDICT_SAME] = "compiles to the same code as a commit that is not slower",
        [VERDICT_UNDECIDED] = "compiles to the same code as an undecided commit",
    };
    if (step->skipped)
        return known[step->verdict];
    return step->verdict == VERDICT_SAME ? "not slower" : verdict_words[step->verdict];
}

static struct bilanx_error narrow_down(struct bisect *bisect, struct search *search)
{
    for (size_t at; (at = bisect_choose(&search->range)) < search->range.high;) {
        AUTO(memory) char *title = NULL;
        struct step step = {.from = search->from,
                            .to = search->commits.items[at],
                            .margins = step_margins(bisect),
                            .range = &search->range};
        BILANX_TRY(revision_title(&(struct side_options){0}, step.to, &title));
        struct bilanx_error error = try_revision(bisect, &step);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK) {
            step.verdict = VERDICT_UNDECIDED;
            report(bisect, title, error.text, NULL);
        } else {
            bool measured = step.verdict == VERDICT_SLOWER && !step.skipped;
            report(bisect, title, word_for(&step), measured ? &bisect->found : NULL);
        }
        bisect_cut(&search->range, at, step.verdict, &step.codes[1]);
    }
    return BILANX_SUCCESS;
}

// Whether the last commit is slower than the one before the first, and by how much.
static struct bilanx_error compare_ends(struct bisect *bisect, struct search *search)
{
    const char *to = bisect->options->sides[1].spec + strlen(side_revision.prefix);
    struct step step = {.from = search->from,
                        .to = search->commits.items[search->commits.count - 1],
                        .margins = bisect->options->margins};
    BILANX_TRY(try_revision(bisect, &step));
    if (step.skipped)
        return bilanx_error_make(
            BILANX_E_FAILED,
            "'%s' and '%s' compile to the same code, so there is nothing to bisect", search->from,
            to);
    if (step.verdict != VERDICT_SLOWER)
        return bilanx_error_make(
            BILANX_E_FAILED, "'%s' is not slower than '%s'%s, so there is nothing to bisect", to,
            search->from, step.verdict == VERDICT_UNDECIDED ? " with certainty" : "");
    bisect->change = bisect->found.verdict->change;
    bisect_range_init(&search->range, search->commits.count, &step.codes[0], &step.codes[1]);
    return BILANX_SUCCESS;
}

// A step may be wrong, and several commits may share the change. So a commit is reported only if a
// separate, equally thorough comparison finds it slower than its predecessor.
static struct bilanx_error confirm(struct bisect *bisect, const struct search *search,
                                   struct ab_bisection *out)
{
    size_t low = search->range.low, high = search->range.high;
    struct step step = {.from = low > 0 ? search->commits.items[low - 1] : search->from,
                        .to = search->commits.items[high],
                        .margins = bisect->options->margins};
    BILANX_TRY(try_revision(bisect, &step));
    BILANX_TRY(revision_title(&(struct side_options){0}, step.from, &out->from));
    BILANX_TRY(revision_title(&(struct side_options){0}, step.to, &out->to));
    out->name = TAKE(bisect->name);
    out->change = bisect->change;
    out->unjudged = high - low;
    out->is_not_slower = step.verdict == VERDICT_SAME;
    if (step.verdict != VERDICT_SLOWER)
        return BILANX_SUCCESS;
    out->commit = mem_text(out->to);
    out->record = bisect->found;
    bisect->found = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

void ab_bisection_done(struct ab_bisection *bisection)
{
    free(bisection->name);
    free(bisection->commit);
    free(bisection->from);
    free(bisection->to);
    bilanx_record_done(&bisection->record);
}

struct bilanx_error ab_bisect(const struct ab_options *options, const struct ab_observer *observer,
                              struct ab_bisection *out)
{
    AUTO(bisect) struct bisect bisect = {.options = options, .observer = observer};
    AUTO(search) struct search search = {0};
    size_t prefix = strlen(side_revision.prefix);
    for (size_t i = 0; i < 2; i++)
        if (options->side_count != 2 || !text_starts(options->sides[i].spec, side_revision.prefix))
            return bilanx_error_make(BILANX_E_USAGE, "--bisect needs --A git:REV --B git:REV");
    const char *to = options->sides[1].spec + prefix;
    search.from = options->sides[0].spec + prefix;
    BILANX_TRY(revisions_between(&(struct side_options){0}, search.from, to, &search.commits));
    if (search.commits.count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "no commits between '%s' and '%s'", search.from,
                                 to);
    BILANX_TRY(compare_ends(&bisect, &search));
    BILANX_TRY(narrow_down(&bisect, &search));
    return confirm(&bisect, &search, out);
}

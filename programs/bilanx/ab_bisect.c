// ab_bisect: the first commit that made a case slower.
//
// By halves between two revisions of which the second is slower, each judged against the first by
// the same procedure. A commit that cannot be built is passed over for one beside it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"

// What is looked for: a case, and what the last comparison said of it.
struct hunt {
    const struct ab_arguments *arguments;
    const struct words *subjects;
    char *name;  // of the case; NULL: whichever is slower
    struct bilanx_record found;
};

static void hunt_done(struct hunt *hunt)
{
    free(hunt->name);
    bilanx_record_done(&hunt->found);
}
SCOPE_VALUE(hunt, hunt_done)

struct judging {
    const struct run_cases *cases;
    char *worst_name;
    struct bilanx_record worst;  // the slowest of the cases that are slower
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

// Leaves of the cases only the one that is looked for.
static void narrow(const struct hunt *hunt, struct ab_sides *sides)
{
    size_t at = 0;
    struct run_cases *cases = &sides->items[0].cases;
    if (!hunt->name)
        return;
    while (at < cases->count && !text_equal(cases->items[at].name, hunt->name))
        at++;
    for (size_t i = 0; i < sides->count; i++) {
        cases = &sides->items[i].cases;
        if (at < cases->count)
            cases->items[0] = cases->items[at];
        cases->count = at < cases->count ? 1 : 0;
    }
}

static struct bilanx_error contest(const struct ab_arguments *arguments, struct ab_sides *sides,
                                   struct judging *judging)
{
    struct contest_side pair[] = {ab_contest_side(&sides->items[0]),
                                  ab_contest_side(&sides->items[1])};
    struct contest_options options =
        ab_contest_options(arguments, &sides->items[0], &sides->items[1]);
    struct contest_summary summary;
    *judging = (struct judging){.cases = &sides->items[0].cases};
    return contest_run(pair, &options, &(struct contest_observer){judging, NULL, look}, &summary);
}

// Whether a revision is slower than the first side: VERDICT_SLOWER, VERDICT_SAME for what is not,
// or VERDICT_UNDECIDED, also in four times the time. To take that for a no would lead astray.
static struct bilanx_error try_revision(struct hunt *hunt, const char *revision, enum verdict *out)
{
    AUTO(ab_sides) struct ab_sides sides = {0};
    AUTO(memory) char *spec = mem_format("git:%s", revision);
    struct ab_arguments arguments = *hunt->arguments;
    arguments.b = spec;
    struct judging judging = {0};
    BILANX_TRY(ab_open_sides(&arguments, &sides));
    BILANX_TRY(ab_prepare(&arguments, hunt->subjects, false, &sides));
    narrow(hunt, &sides);
    struct bilanx_error error = contest(&arguments, &sides, &judging);
    if (error.status == BILANX_OK && judging.undecided && !judging.slower) {
        arguments.budget = 4 * (arguments.budget > 0 ? arguments.budget : CONTEST_BUDGET_S);
        error = contest(&arguments, &sides, &judging);
    }
    if (error.status == BILANX_OK && judging.failed && !judging.slower)
        error = judging.failure;
    if (error.status == BILANX_OK)
        *out = judging.slower      ? VERDICT_SLOWER
               : judging.undecided ? VERDICT_UNDECIDED
                                   : VERDICT_SAME;
    if (judging.slower) {
        bilanx_record_done(&hunt->found);
        hunt->found = judging.worst;
        if (!hunt->name)
            hunt->name = TAKE(judging.worst_name);
    }
    free(judging.worst_name);
    return error;
}

static void tell_step(const char *title, const char *what, const struct bilanx_record *record)
{
    AUTO(text) struct text line = {0};
    text_add_harmless(&line, title);
    text_format(&line, ": %s", what);
    if (record && record->verdict)
        text_format(&line, ", %+.2f %%", 100 * record->verdict->change);
    fprintf(stderr, "%s\n", text_get(&line));
}

struct range {
    const struct list *commits;
    size_t low, high;  // `high` is slower; what is before `low` is not
    bool *unknown;     // cannot be measured, or judged
};

// The commit nearest to the middle that may still be judged; `high`: there is none left.
static size_t choose(const struct range *range)
{
    size_t middle = range->low + (range->high - range->low) / 2;
    for (size_t away = 0; away <= range->high - range->low; away++) {
        if (middle + away < range->high && !range->unknown[middle + away])
            return middle + away;
        if (middle >= range->low + away && middle - away < range->high &&
            !range->unknown[middle - away])
            return middle - away;
    }
    return range->high;
}

static struct bilanx_error search(struct hunt *hunt, struct range *range)
{
    struct side_options options = {0};
    for (size_t at; (at = choose(range)) < range->high;) {
        const char *commit = range->commits->items[at];
        AUTO(memory) char *title = NULL;
        enum verdict verdict = VERDICT_UNDECIDED;
        BILANX_TRY(revision_title(&options, commit, &title));
        struct bilanx_error error = try_revision(hunt, commit, &verdict);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK)
            tell_step(title, error.text, NULL);
        else
            tell_step(title, verdict == VERDICT_SAME ? "not slower" : verdict_words[verdict],
                      verdict == VERDICT_SLOWER ? &hunt->found : NULL);
        if (verdict == VERDICT_UNDECIDED)
            range->unknown[at] = true;
        else if (verdict == VERDICT_SLOWER)
            range->high = at;
        else
            range->low = at + 1;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error print_culprit(const struct hunt *hunt, const struct range *range)
{
    AUTO(memory) char *title = NULL;
    AUTO(text) struct text line = {0};
    BILANX_TRY(
        revision_title(&(struct side_options){0}, range->commits->items[range->high], &title));
    size_t unknown = range->high - range->low;
    text_add(&line, "first slower commit: ");
    text_add_harmless(&line, title);
    text_add(&line, "\n");
    if (unknown)
        text_format(&line, "or one of the %zu before it, which could not be judged\n", unknown);
    if (hunt->found.verdict) {
        text_add_harmless(&line, hunt->name);
        text_format(&line, ": %+.2f %%, %+.2f .. %+.2f\n", 100 * hunt->found.verdict->change,
                    100 * hunt->found.verdict->interval[0], 100 * hunt->found.verdict->interval[1]);
    }
    fputs(text_get(&line), stdout);
    return BILANX_SUCCESS;
}

struct bilanx_error ab_bisect(const struct ab_arguments *arguments, const struct words *subjects,
                              struct bilanx_record *found)
{
    AUTO(list) struct list commits = {0};
    AUTO(hunt) struct hunt hunt = {.arguments = arguments, .subjects = subjects};
    const char *from = arguments->a, *to = arguments->b;
    if (!from || !to || strncmp(from, "git:", 4) != 0 || strncmp(to, "git:", 4) != 0)
        return bilanx_error_make(BILANX_E_USAGE, "--bisect is for --A git:REV --B git:REV");
    BILANX_TRY(revisions_between(&(struct side_options){0}, from + 4, to + 4, &commits));
    if (commits.count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "there is no commit between '%s' and '%s'",
                                 from + 4, to + 4);
    AUTO(memory) bool *unknown = mem_array(bool, commits.count);
    struct range range = {&commits, 0, commits.count - 1, unknown};
    enum verdict verdict = VERDICT_UNDECIDED;
    BILANX_TRY(try_revision(&hunt, commits.items[range.high], &verdict));
    if (verdict != VERDICT_SLOWER)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "'%s' is not slower than '%s'%s, so there is nothing to look for",
                                 to + 4, from + 4, verdict == VERDICT_UNDECIDED ? " for sure" : "");
    BILANX_TRY(search(&hunt, &range));
    BILANX_TRY(print_culprit(&hunt, &range));
    *found = hunt.found;
    hunt.found = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

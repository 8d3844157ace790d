// ab_bisect: the first commit that made a case slower.
//
// By halves between two revisions of which the second is slower, each compared with the first. A
// commit on the way need not be told from the first by any change, but on which side of half of the
// whole change it lies. One that compiles to the same as a neighbour is not measured, one that
// cannot be built or judged is passed over. What is found is compared with what is before it: a
// commit is named only if it is slower than its parent.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "base/mem.h"

// What is looked for: a case, how much slower it got, and what the last comparison said of it.
struct hunt {
    const struct ab_arguments *arguments;
    const struct words *subjects;
    char *name;     // of the case; NULL: whichever is slower
    double change;  // between the ends
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

static struct bilanx_error interleave(const struct ab_arguments *arguments, struct ab_sides *sides,
                                      struct judging *judging)
{
    struct interleaved_side pair[] = {ab_interleaved_side(&sides->items[0]),
                                      ab_interleaved_side(&sides->items[1])};
    struct interleaved_options options =
        ab_interleaved_options(arguments, &sides->items[0], &sides->items[1]);
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

// Two revisions, and what is known of them.
struct trial {
    const char *from, *to;
    struct margins margins;
    struct ab_code codes[2];  // of the case that is looked for, once both are built
    const struct ab_code *fast,
        *slow;                   // what is known not to be slower, and to be; NULL: nothing is
    const struct ab_code *open;  // what was undecided already, so many
    size_t open_count;
    enum verdict verdict;  // VERDICT_SLOWER; VERDICT_SAME: it is not; or VERDICT_UNDECIDED
    bool skipped;          // not measured, as the code is known
};

static void keep_found(struct hunt *hunt, struct judging *judging)
{
    bilanx_record_done(&hunt->found);
    hunt->found = judging->worst;
    if (!hunt->name)
        hunt->name = TAKE(judging->worst_name);
}

// In four times the time where need be: to take what is undecided for a no would lead astray.
static struct bilanx_error measure(struct hunt *hunt, struct ab_arguments *arguments,
                                   struct ab_sides *sides, struct trial *trial)
{
    struct judging judging = {0};
    struct bilanx_error error = interleave(arguments, sides, &judging);
    if (error.status == BILANX_OK && judging.undecided && !judging.slower) {
        arguments->budget = 4 * (arguments->budget > 0 ? arguments->budget : INTERLEAVED_BUDGET_S);
        error = interleave(arguments, sides, &judging);
    }
    if (error.status == BILANX_OK && judging.failed && !judging.slower)
        error = judging.failure;
    if (error.status == BILANX_OK)
        trial->verdict = judging.slower      ? VERDICT_SLOWER
                         : judging.undecided ? VERDICT_UNDECIDED
                                             : VERDICT_SAME;
    if (judging.slower)
        keep_found(hunt, &judging);
    free(judging.worst_name);
    return error;
}

static void read_codes(struct ab_sides *sides, struct trial *trial)
{
    for (size_t i = 0; i < 2; i++)
        if (sides->items[i].cases.count == 1)
            trial->codes[i] = ab_code_of(&sides->items[i], &sides->items[i].cases.items[0]);
}

static bool is_among(const struct ab_code *code, const struct ab_code *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ab_is_same_code(code, &codes[i]))
            return true;
    return false;
}

// Judges by what is known of the code; false: it has to be measured.
static bool judge_code(struct ab_sides *sides, struct trial *trial)
{
    read_codes(sides, trial);
    const struct ab_code *code = &trial->codes[1];
    bool slow = is_among(code, trial->slow, trial->slow != NULL);
    bool fast = is_among(code, trial->fast, trial->fast != NULL) || all_same_code(sides);
    trial->skipped = slow || fast || is_among(code, trial->open, trial->open_count);
    trial->verdict = slow ? VERDICT_SLOWER : fast ? VERDICT_SAME : VERDICT_UNDECIDED;
    return trial->skipped;
}

static struct bilanx_error try_revision(struct hunt *hunt, struct trial *trial)
{
    AUTO(ab_sides) struct ab_sides sides = {0};
    AUTO(memory) char *from = mem_format("git:%s", trial->from);
    AUTO(memory) char *to = mem_format("git:%s", trial->to);
    struct ab_arguments arguments = *hunt->arguments;
    arguments.a = from;
    arguments.b = to;
    arguments.margins = trial->margins;
    BILANX_TRY(ab_open_sides(&arguments, &sides));
    BILANX_TRY(ab_prepare(&arguments, hunt->subjects, false, &sides));
    narrow(hunt, &sides);
    if (judge_code(&sides, trial))
        return BILANX_SUCCESS;
    BILANX_TRY(measure(hunt, &arguments, &sides, trial));
    narrow(hunt, &sides);  // now it may be known which case is looked for
    read_codes(&sides, trial);
    return BILANX_SUCCESS;
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
    const char *from;              // what is before the first of them
    size_t low, high;              // `high` is slower; what is before `low` is not
    struct ab_code before, after;  // of what is right before `low`, and of `high`
    bool *unknown;                 // cannot be measured, or judged
    struct ab_code *open;          // of what could not be judged
    size_t open_count;
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

// Above half of the change, or below it: what lies between needs no margin of its own.
static struct margins step_margins(const struct hunt *hunt)
{
    struct margins margins = hunt->arguments->margins;
    double half = log1p(hunt->change) / 2;
    margins.claim = margins.same = fmax(margins.claim, half);
    return margins;
}

static const char *word_for(const struct trial *trial)
{
    static const char *const known[] = {
        [VERDICT_SLOWER] = "compiles to the same as what is slower",
        [VERDICT_SAME] = "compiles to the same as what is not slower",
        [VERDICT_UNDECIDED] = "compiles to the same as what is undecided",
    };
    if (trial->skipped)
        return known[trial->verdict];
    return trial->verdict == VERDICT_SAME ? "not slower" : verdict_words[trial->verdict];
}

static void cut(struct range *range, size_t at, const struct trial *trial)
{
    if (trial->verdict == VERDICT_UNDECIDED) {
        range->unknown[at] = true;
        range->open[range->open_count++] = trial->codes[1];
    } else if (trial->verdict == VERDICT_SLOWER) {
        range->high = at;
        range->after = trial->codes[1];
    } else {
        range->low = at + 1;
        range->before = trial->codes[1];
    }
}

static struct bilanx_error search(struct hunt *hunt, struct range *range)
{
    for (size_t at; (at = choose(range)) < range->high;) {
        AUTO(memory) char *title = NULL;
        struct trial trial = {.from = range->from,
                              .to = range->commits->items[at],
                              .margins = step_margins(hunt),
                              .fast = &range->before,
                              .slow = &range->after,
                              .open = range->open,
                              .open_count = range->open_count};
        BILANX_TRY(revision_title(&(struct side_options){0}, trial.to, &title));
        struct bilanx_error error = try_revision(hunt, &trial);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK) {
            trial.verdict = VERDICT_UNDECIDED;
            tell_step(title, error.text, NULL);
        } else {
            bool measured = trial.verdict == VERDICT_SLOWER && !trial.skipped;
            tell_step(title, word_for(&trial), measured ? &hunt->found : NULL);
        }
        cut(range, at, &trial);
    }
    return BILANX_SUCCESS;
}

static const char *before_of(const struct range *range)
{
    return range->low > 0 ? range->commits->items[range->low - 1] : range->from;
}

static struct bilanx_error print_culprit(const struct hunt *hunt, const struct range *range)
{
    AUTO(memory) char *title = NULL;
    AUTO(text) struct text line = {0};
    const struct bilanx_verdict *verdict = hunt->found.verdict;
    BILANX_TRY(
        revision_title(&(struct side_options){0}, range->commits->items[range->high], &title));
    size_t unknown = range->high - range->low;
    text_add(&line, "first slower commit: ");
    text_add_harmless(&line, title);
    text_add(&line, "\n");
    if (unknown)
        text_format(&line, "or one of the %zu before it, which could not be judged\n", unknown);
    text_add_harmless(&line, hunt->name);
    text_format(&line, ": %+.2f %%, %+.2f .. %+.2f, against %s\n", 100 * verdict->change,
                100 * verdict->interval[0], 100 * verdict->interval[1],
                unknown ? "the last one that is not slower" : "its parent");
    fputs(text_get(&line), stdout);
    return BILANX_SUCCESS;
}

static struct bilanx_error print_open_end(const struct hunt *hunt, const struct trial *trial)
{
    AUTO(memory) char *before = NULL;
    AUTO(memory) char *after = NULL;
    AUTO(text) struct text line = {0};
    BILANX_TRY(revision_title(&(struct side_options){0}, trial->from, &before));
    BILANX_TRY(revision_title(&(struct side_options){0}, trial->to, &after));
    text_add(&line, "no single commit holds up\n");
    text_add_harmless(&line, hunt->name);
    text_format(&line, ": %+.2f %% from end to end, but %s between\n", 100 * hunt->change,
                trial->verdict == VERDICT_SAME ? "not slower" : "undecided");
    text_add_harmless(&line, before);
    text_add(&line, " and\n");
    text_add_harmless(&line, after);
    text_add(&line, "\n");
    fputs(text_get(&line), stdout);
    return bilanx_error_make(BILANX_E_FAILED,
                             "no commit is slower than the one before it for sure: "
                             "several may share the change, or it may be chance; "
                             "a larger --budget may tell");
}

// A step may be wrong, and several commits may share the change: it is named only if a comparison
// of its own, as thorough as any, finds it slower than what is before it.
static struct bilanx_error confirm(struct hunt *hunt, const struct range *range)
{
    struct trial trial = {.from = before_of(range),
                          .to = range->commits->items[range->high],
                          .margins = hunt->arguments->margins};
    BILANX_TRY(try_revision(hunt, &trial));
    return trial.verdict == VERDICT_SLOWER ? print_culprit(hunt, range)
                                           : print_open_end(hunt, &trial);
}

// Whether the last one is slower than what is before the first; and by how much.
static struct bilanx_error compare_ends(struct hunt *hunt, struct range *range)
{
    const char *from = hunt->arguments->a + 4, *to = hunt->arguments->b + 4;
    struct trial trial = {.from = range->from,
                          .to = range->commits->items[range->high],
                          .margins = hunt->arguments->margins};
    BILANX_TRY(try_revision(hunt, &trial));
    if (trial.skipped)
        return bilanx_error_make(
            BILANX_E_FAILED, "'%s' and '%s' compile to the same, so there is nothing to look for",
            from, to);
    if (trial.verdict != VERDICT_SLOWER)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "'%s' is not slower than '%s'%s, so there is nothing to look for",
                                 to, from, trial.verdict == VERDICT_UNDECIDED ? " for sure" : "");
    hunt->change = hunt->found.verdict->change;
    range->before = trial.codes[0];
    range->after = trial.codes[1];
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
    AUTO(memory) struct ab_code *open = mem_array(struct ab_code, commits.count);
    struct range range = {.commits = &commits,
                          .from = from + 4,
                          .high = commits.count - 1,
                          .unknown = unknown,
                          .open = open};
    BILANX_TRY(compare_ends(&hunt, &range));
    BILANX_TRY(search(&hunt, &range));
    BILANX_TRY(confirm(&hunt, &range));
    *found = hunt.found;
    hunt.found = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

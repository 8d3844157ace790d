// A whole comparison of stored sides: the joined records, and the observer's calls.
#include "ab/comparison/comparison.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "records.h"
#include "told.h"

// The observer's calls, one per line.
struct heard {
    struct text lines;
    struct bilanx_error refuse;  // returned by `begun`
};

static void note(void *context, const char *text)
{
    struct heard *heard = context;
    text_format(&heard->lines, "note: %s\n", text);
}

static struct bilanx_error opened(void *context, const struct side *const *sides, size_t count)
{
    struct heard *heard = context;
    text_add(&heard->lines, "opened");
    for (size_t i = 0; i < count; i++)
        text_format(&heard->lines, " %s", sides[i]->name);
    text_add(&heard->lines, "\n");
    return BILANX_SUCCESS;
}

static struct bilanx_error begun(void *context, const struct ab_pair *pair, size_t case_count)
{
    struct heard *heard = context;
    (void)case_count;
    text_format(&heard->lines, "begun %s %s\n", pair->first->name, pair->other->name);
    return heard->refuse;
}

static void finished(void *context, const struct bilanx_record *record)
{
    struct heard *heard = context;
    text_format(&heard->lines, "%s of %s on %s: %s\n", record->kind, record->task.stmt,
                record->side, record->verdict ? record->verdict->verdict : "");
}

static void compared(void *context, const struct ab_pair *pair, struct ab_results *results)
{
    struct heard *heard = context;
    text_format(&heard->lines, "compared %s %s: %zu%s%s\n", pair->first->name, pair->other->name,
                results->count, results->error.status ? ", " : "", results->error.text);
    for (size_t i = 0; i < results->count; i++)
        assert_string_equal(results->records[i].verdict->baseline, pair->first->title);
}

static void counted(void *context, const struct ab_pair *pair, struct ab_counts *counts)
{
    struct heard *heard = context;
    text_format(&heard->lines, "counted %s %s: %zu%s%s%s\n", pair->first->name, pair->other->name,
                counts->count, counts->verdicts ? " judged" : "", counts->error.status ? ", " : "",
                counts->error.text);
}

static const char *const NAMES[] = {"A", "B", "C"};

// Compares files with these contents; ' stands for ".
static struct bilanx_error compare(const char *const *contents, size_t count,
                                   struct ab_options options, struct heard *heard)
{
    AUTO(temporary) struct temporary folder = {0};
    char specs[3][300];
    struct ab_spec sides[3];
    assert_ok(temporary_init(&folder, NULL));
    for (size_t i = 0; i < count; i++) {
        AUTO(memory) char *path = mem_format("%s/%zu.jsonl", folder.path, i);
        AUTO(memory) char *json = mem_text(contents[i]);
        for (char *at = json; *at; at++)
            *at = *at == '\'' ? '"' : *at;
        assert_ok(file_write(path, json, strlen(json)));
        snprintf(specs[i], sizeof specs[i], "file:%s", path);
        sides[i] = (struct ab_spec){NAMES[i], specs[i]};
    }
    options.sides = sides;
    options.side_count = count;
    options.margins = default_margins;
    return ab_compare(&options, &(struct ab_observer){.context = heard,
                                                      .note = note,
                                                      .opened = opened,
                                                      .begun = begun,
                                                      .finished = finished,
                                                      .compared = compared,
                                                      .counted = counted});
}

#define TIMED(stmt, times)                                                  \
    "{'schema':'bilanx/1','kind':'measurement','task':{'stmt':'" stmt "'}," \
    "'number_per_run':1,'raw_times':" times "}\n"
#define SLOW "[2,2.00001,2.00002,2.00003]"
#define FAST "[1,1.00001,1.00002,1.00003]"
#define COUNTED(stmt, count)                                                                    \
    "{'schema':'bilanx/1','kind':'counts','task':{'stmt':'" stmt "'},"                          \
    "'counts':{'number':1,'instructions':" count ",'per_iteration':" count ",'repeats':[" count \
    "]}}\n"

static void assert_heard(struct heard *heard, const char *expected)
{
    assert_string_equal(text_get(&heard->lines), expected);
    text_done(&heard->lines);
}

static void records_of_the_same_task_are_joined(void **state)
{
    (void)state;
    struct heard heard = {0};
    assert_ok(compare(
        (const char *const[]){TIMED("x", FAST) TIMED("y", SLOW), TIMED("y", FAST) TIMED("x", SLOW)},
        2, (struct ab_options){0}, &heard));
    assert_heard(&heard, "opened A B\nbegun A B\nverdict of y on B: seems-faster\n"
                         "verdict of x on B: seems-slower\ncompared A B: 2\n");
}

static void a_record_missing_on_the_first_side_is_noted(void **state)
{
    (void)state;
    struct heard heard = {0};
    assert_ok(compare((const char *const[]){TIMED("x", FAST) TIMED("gone", FAST),
                                            TIMED("new", FAST) TIMED("x", FAST)},
                      2, (struct ab_options){0}, &heard));
    assert_heard(&heard, "opened A B\nbegun A B\nnote: 'new' is not on side A\n"
                         "verdict of x on B: undecided\ncompared A B: 1\n");
}

static void replicates_are_merged_before_they_are_joined(void **state)
{
    (void)state;
    struct heard heard = {0};
    assert_ok(compare(
        (const char *const[]){TIMED("x", FAST) TIMED("x", FAST), TIMED("x", SLOW) TIMED("x", SLOW)},
        2, (struct ab_options){0}, &heard));
    assert_heard(&heard,
                 "opened A B\nbegun A B\nverdict of x on B: seems-slower\ncompared A B: 1\n");
}

static void a_pair_with_nothing_in_common_does_not_stop_the_others(void **state)
{
    (void)state;
    struct heard heard = {0};
    assert_ok(compare((const char *const[]){TIMED("x", FAST), TIMED("y", FAST), TIMED("x", SLOW)},
                      3, (struct ab_options){0}, &heard));
    assert_heard(&heard, "opened A B C\nbegun A B\nnote: 'y' is not on side A\n"
                         "compared A B: 0, sides A and B have no measurement in common\n"
                         "begun A C\nverdict of x on C: seems-slower\ncompared A C: 1\n");
}

static void counts_are_joined_too_and_judged_if_nothing_is_timed(void **state)
{
    (void)state;
    struct heard heard = {0};
    assert_ok(compare((const char *const[]){COUNTED("x", "100") TIMED("y", FAST),
                                            COUNTED("x", "120") TIMED("y", FAST)},
                      2, (struct ab_options){.count = true, .no_time = true}, &heard));
    assert_heard(&heard, "opened A B\nbegun A B\ncounts of x on A: \ncounts of x on B: \n"
                         "verdict of x on B: slower\ncounted A B: 1 judged\n");
    assert_ok(compare((const char *const[]){COUNTED("x", "100") TIMED("y", FAST),
                                            COUNTED("x", "120") TIMED("y", FAST)},
                      2, (struct ab_options){.count = true}, &heard));
    assert_heard(&heard, "opened A B\nbegun A B\nverdict of y on B: undecided\ncompared A B: 1\n"
                         "begun A B\ncounts of x on A: \ncounts of x on B: \ncounted A B: 1\n");
}

static void an_observer_can_stop_the_comparison(void **state)
{
    (void)state;
    struct heard heard = {.refuse = {.status = BILANX_E_SYSTEM, .text = "disk full"}};
    assert_error(compare((const char *const[]){TIMED("x", FAST), TIMED("x", SLOW)}, 2,
                         (struct ab_options){0}, &heard),
                 BILANX_E_SYSTEM, "disk full");
    assert_heard(&heard, "opened A B\nbegun A B\n");
}

static void invalid_sides_are_rejected(void **state)
{
    (void)state;
    const struct ab_spec twice[] = {{"A", "cmd:true"}, {"A", "cmd:true"}},
                         mixed[] = {{"A", "cmd:true"}, {"B", "cc:cc"}};
    const struct ab_observer nobody = {0};
    assert_error(ab_compare(&(struct ab_options){.sides = twice, .side_count = 1}, &nobody),
                 BILANX_E_USAGE, "two sides");
    assert_error(ab_compare(&(struct ab_options){.sides = twice, .side_count = 2}, &nobody),
                 BILANX_E_USAGE, "two sides are named 'A'");
    assert_error(ab_compare(&(struct ab_options){.sides = mixed, .side_count = 2}, &nobody),
                 BILANX_E_USAGE, "a command can only be compared with a command");
}

static void comparing_nothing_is_a_usage_error(void **state)
{
    (void)state;
    const struct ab_spec sides[] = {{"A", ""}, {"B", ""}};
    assert_error(
        ab_compare(&(struct ab_options){.sides = sides, .side_count = 2}, &(struct ab_observer){0}),
        BILANX_E_USAGE, "nothing to compare");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_the_same_task_are_joined),
        cmocka_unit_test(a_record_missing_on_the_first_side_is_noted),
        cmocka_unit_test(replicates_are_merged_before_they_are_joined),
        cmocka_unit_test(a_pair_with_nothing_in_common_does_not_stop_the_others),
        cmocka_unit_test(counts_are_joined_too_and_judged_if_nothing_is_timed),
        cmocka_unit_test(an_observer_can_stop_the_comparison),
        cmocka_unit_test(invalid_sides_are_rejected),
        cmocka_unit_test(comparing_nothing_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

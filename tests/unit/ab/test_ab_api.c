// <bilanx/ab.h> with stored sides: its results and its refusals.
#include "bilanx/ab.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "records.h"
#include "told.h"

#define LINE(members) "{\"schema\":\"bilanx/1\"," members "}\n"
#define TIMED(stmt, times)                                     \
    LINE("\"kind\":\"measurement\",\"task\":{\"stmt\":\"" stmt \
         "\"},\"number_per_run\":1,\"raw_times\":" times)
#define COUNTED(stmt, count)                                                              \
    LINE("\"kind\":\"counts\",\"task\":{\"stmt\":\"" stmt "\"},\"counts\":{\"number\":1," \
         "\"instructions\":" count ",\"per_iteration\":" count ",\"repeats\":[" count "]}")

struct outcome {
    struct bilanx_error error;
    struct text lines;  // one per record
    struct text notes;
    size_t finished;
};

static void outcome_done(struct outcome *outcome)
{
    text_done(&outcome->lines);
    text_done(&outcome->notes);
}
SCOPE_VALUE(outcome, outcome_done)

static void note(void *context, const char *text)
{
    told_keep(&((struct outcome *)context)->notes, text);
}

static void finished(void *context, const struct bilanx_record *record)
{
    assert_non_null(record->kind);
    ((struct outcome *)context)->finished++;
}

static void compare(const char *before, const char *after, struct bilanx_ab_options options,
                    struct outcome *out)
{
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *first = mem_format("file:%s/a.jsonl", folder.path);
    AUTO(memory) char *other = mem_format("file:%s/b.jsonl", folder.path);
    assert_ok(file_write(first + 5, before, strlen(before)));
    assert_ok(file_write(other + 5, after, strlen(after)));
    const struct bilanx_ab_side sides[] = {{"old", first, NULL}, {"new", other, NULL}};
    struct bilanx_record *records;
    size_t count = 0;
    options.note = note;
    options.finished = finished;
    options.context = out;
    out->error = bilanx_ab(sides, 2, &options, &records, &count);
    if (out->error.status != BILANX_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        text_format(&out->lines, "%s of %s on %s %s\n", records[i].kind, records[i].task.stmt,
                    records[i].side, records[i].verdict ? records[i].verdict->verdict : "");
        bilanx_record_done(&records[i]);
    }
    free(records);
}

static const char FAST[] = TIMED("x", "[1,1.00001,1.00002]") COUNTED("y", "100"),
                  SLOW[] =
                      TIMED("x", "[2.1,2.10001,2.10002]") COUNTED("y", "110") TIMED("z", "[1]");

static void verdicts_come_back_as_records(void **state)
{
    (void)state;
    AUTO(outcome) struct outcome outcome = {0};
    compare(FAST, SLOW, (struct bilanx_ab_options){0}, &outcome);
    assert_ok(outcome.error);
    assert_string_equal(text_get(&outcome.lines), "verdict of x on new seems-slower\n");
    assert_string_equal(text_get(&outcome.notes), "'z' is not on side old\n");
    assert_int_equal(outcome.finished, 1);
}

static void counts_come_back_too(void **state)
{
    (void)state;
    AUTO(outcome) struct outcome outcome = {0};
    compare(FAST, SLOW, (struct bilanx_ab_options){.count = true, .no_time = true}, &outcome);
    assert_ok(outcome.error);
    assert_string_equal(text_get(&outcome.lines), "counts of y on old \ncounts of y on new \n"
                                                  "verdict of y on new slower\n");
    assert_int_equal(outcome.finished, 3);
}

static void the_caller_sets_the_margins(void **state)
{
    (void)state;
    AUTO(outcome) struct outcome wide = {0};
    compare(FAST, SLOW, (struct bilanx_ab_options){.margin = 3.5, .equal = 3.5}, &wide);
    assert_string_equal(text_get(&wide.lines), "verdict of x on new seems-same\n");
}

static void sides_with_nothing_in_common_are_an_error(void **state)
{
    (void)state;
    AUTO(outcome) struct outcome outcome = {0};
    compare(TIMED("a", "[1]"), TIMED("b", "[1]"), (struct bilanx_ab_options){0}, &outcome);
    assert_error(outcome.error, BILANX_E_FAILED, "sides old and new have no measurement in common");
}

static struct bilanx_error refused(const struct bilanx_ab_side *sides, size_t count,
                                   struct bilanx_ab_options options)
{
    struct bilanx_record *records;
    size_t record_count;
    return bilanx_ab(sides, count, &options, &records, &record_count);
}

static void invalid_arguments_are_rejected(void **state)
{
    (void)state;
    const struct bilanx_ab_side good[] = {{"A", NULL, NULL}, {"B", NULL, NULL}},
                                nameless[] = {{"A", NULL, NULL}, {NULL, NULL, NULL}},
                                odd[] = {{"A", NULL, "x"}, {"B", NULL, NULL}};
    assert_error(refused(good, 1, (struct bilanx_ab_options){0}), BILANX_E_USAGE, "two sides");
    assert_error(refused(good, 2, (struct bilanx_ab_options){0}), BILANX_E_USAGE,
                 "nothing to compare");
    assert_error(refused(good, 2, (struct bilanx_ab_options){.alpha = 1}), BILANX_E_USAGE,
                 "option 'alpha' takes a share above 0 and below 1, not '1'");
    assert_error(refused(good, 2, (struct bilanx_ab_options){.no_time = true}), BILANX_E_USAGE,
                 "no_time needs count");
    assert_error(refused(good, 2, (struct bilanx_ab_options){.hwcaps = "native"}), BILANX_E_USAGE,
                 "hwcaps needs count");
    assert_error(refused(good, 2, (struct bilanx_ab_options){.count = true, .hwcaps = "v9"}),
                 BILANX_E_USAGE, "not 'v9'");
    assert_error(refused(nameless, 2, (struct bilanx_ab_options){0}), BILANX_E_USAGE,
                 "side 2 has no name");
    assert_error(refused(odd, 2, (struct bilanx_ab_options){0}), BILANX_E_USAGE,
                 "only some sides have a statement");
    const char *const stmts[] = {"1", NULL};
    assert_error(
        refused(good, 2,
                (struct bilanx_ab_options){.stmts = stmts, .inputs = "unary", .inputs_seed = "x"}),
        BILANX_E_USAGE, "the seed of inputs is a whole number");
    assert_error(
        refused(good, 2,
                (struct bilanx_ab_options){.stmts = stmts, .inputs = "unary", .dtype = "f31"}),
        BILANX_E_INPUT, "unknown dtype 'f31'");
    assert_error(
        refused(good, 2,
                (struct bilanx_ab_options){.stmts = stmts, .inputs = "unary", .order_by = "k9"}),
        BILANX_E_USAGE, "cannot order by 'k9'");
    assert_error(
        refused(good, 2,
                (struct bilanx_ab_options){.stmts = stmts, .inputs = "unary", .as = "pandas"}),
        BILANX_E_USAGE, "'as' is torch, numpy or dlpack");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_come_back_as_records),
        cmocka_unit_test(counts_come_back_too),
        cmocka_unit_test(the_caller_sets_the_margins),
        cmocka_unit_test(sides_with_nothing_in_common_are_an_error),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "sources/suite_cases/resume.h"

#include "own_folder.h"
#include "records.h"

#define TASK(stmt) "\"task\":{\"stmt\":\"" stmt "\",\"language\":\"c\",\"num_threads\":1}"
#define LINE(kind, stmt, more) \
    "{\"schema\":\"bilanx/1\",\"kind\":\"" kind "\"," TASK(stmt) more "}\n"
#define MEASURED_LINE(stmt, more) \
    LINE("measurement", stmt, ",\"number_per_run\":1,\"raw_times\":[1e-6]" more)
#define FAILED_LINE(stmt) LINE("failure", stmt, ",\"error\":{\"code\":\"crashed\"}")
#define INTERRUPTED ",\"warnings\":[{\"code\":\"interrupted\"}]"

enum { CASES = 3 };

static struct run_case task_of(const char *stmt)
{
    return (struct run_case){
        .task = {.stmt = (char *)stmt, .language = (char *)"c", .num_threads = 1}};
}

struct resuming {
    struct run_case cases[CASES];
    struct bilanx_record records[CASES];
    struct resumed resumed;
};

static void resuming_done(struct resuming *resuming)
{
    for (size_t i = 0; i < CASES; i++)
        bilanx_record_done(&resuming->records[i]);
    resumed_done(&resuming->resumed);
}
SCOPE_VALUE(resuming, resuming_done)

// Reads a file for the cases a, b and c.
static struct bilanx_error resume(const char *path, struct resuming *out)
{
    static const char *const stmts[CASES] = {"a", "b", "c"};
    for (size_t i = 0; i < CASES; i++)
        out->cases[i] = task_of(stmts[i]);
    out->resumed.records = out->records;
    return resume_read(path, &(struct run_cases){.items = out->cases, .count = CASES},
                       &out->resumed);
}

// How many lines of the kept ones contain a statement.
static size_t kept(const struct resuming *resuming, const char *stmt)
{
    AUTO(memory) char *key = mem_format("\"stmt\":\"%s\"", stmt);
    size_t count = 0;
    for (const char *at = text_get(&resuming->resumed.kept); (at = strstr(at, key)); at++)
        count++;
    return count;
}

static void a_missing_file_has_nothing(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    assert_ok(resume("missing.jsonl", &resuming));
    for (size_t i = 0; i < CASES; i++)
        assert_null(resuming.records[i].kind);
    assert_int_equal(resuming.resumed.kept.size, 0);
    assert_false(resuming.resumed.any_dropped);
}

static void measured_cases_are_found_by_their_tasks(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    file_make("f", MEASURED_LINE("c", "") MEASURED_LINE("other", "") MEASURED_LINE("a", ""));
    assert_ok(resume("f", &resuming));
    assert_string_equal(resuming.records[0].task.stmt, "a");
    assert_null(resuming.records[1].kind);
    assert_string_equal(resuming.records[2].task.stmt, "c");
    assert_string_equal(resuming.records[2].kind, "measurement");
    assert_false(resuming.resumed.any_dropped);
    assert_true(kept(&resuming, "a") == 1 && kept(&resuming, "c") == 1);
    assert_int_equal(kept(&resuming, "other"), 1);
    const char *lines = text_get(&resuming.resumed.kept);
    assert_int_equal(lines[strlen(lines) - 1], '\n');
}

static void failed_and_interrupted_cases_are_measured_again(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    file_make("f", FAILED_LINE("a") MEASURED_LINE("b", INTERRUPTED) MEASURED_LINE("c", ""));
    assert_ok(resume("f", &resuming));
    assert_null(resuming.records[0].kind);
    assert_null(resuming.records[1].kind);
    assert_non_null(resuming.records[2].kind);
    assert_true(resuming.resumed.any_dropped);
    assert_int_equal(kept(&resuming, "a"), 0);
    assert_int_equal(kept(&resuming, "b"), 0);
    assert_int_equal(kept(&resuming, "c"), 1);
}

static void failures_of_other_runs_stay(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    file_make("f", FAILED_LINE("other") MEASURED_LINE("another", INTERRUPTED));
    assert_ok(resume("f", &resuming));
    assert_false(resuming.resumed.any_dropped);
    assert_int_equal(kept(&resuming, "other"), 1);
    assert_int_equal(kept(&resuming, "another"), 1);
    for (size_t i = 0; i < CASES; i++)
        assert_null(resuming.records[i].kind);
}

static void the_last_of_several_records_is_taken_and_all_are_kept(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    file_make("f", MEASURED_LINE("b", ",\"remark\":\"1\"") MEASURED_LINE("b", ",\"remark\":\"2\""));
    assert_ok(resume("f", &resuming));
    AUTO(memory) char *json = bilanx_record_json(&resuming.records[1]);
    assert_non_null(strstr(json, "\"remark\":\"2\""));
    assert_int_equal(kept(&resuming, "b"), 2);
}

static void a_failure_with_other_warnings_is_not_an_interruption(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming resuming = {0};
    file_make("f", MEASURED_LINE("a", ",\"warnings\":[{\"code\":\"few-epochs\"},"
                                      "{\"code\":\"retried\"}]")
                       MEASURED_LINE("b", ",\"warnings\":[{\"code\":\"few-epochs\"},"
                                          "{\"code\":\"interrupted\"}]"));
    assert_ok(resume("f", &resuming));
    assert_non_null(resuming.records[0].kind);
    assert_null(resuming.records[1].kind);
}

static void an_incomplete_last_line_is_ignored_and_a_damaged_one_is_an_error(void **state)
{
    (void)state;
    AUTO(resuming) struct resuming cut = {0}, damaged = {0};
    file_make("f", MEASURED_LINE("a", "") "{\"schema\":\"bilanx/1\",\"kind\":\"meas");
    assert_ok(resume("f", &cut));
    assert_non_null(cut.records[0].kind);
    file_make("f", "{\n" MEASURED_LINE("a", ""));
    assert_error(resume("f", &damaged), BILANX_E_INPUT, "f:1");
    AUTO(resuming) struct resuming folder = {0};
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_error(resume("folder", &folder), BILANX_E_SYSTEM, "folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(a_missing_file_has_nothing),
        IN_OWN_FOLDER(measured_cases_are_found_by_their_tasks),
        IN_OWN_FOLDER(failed_and_interrupted_cases_are_measured_again),
        IN_OWN_FOLDER(failures_of_other_runs_stay),
        IN_OWN_FOLDER(the_last_of_several_records_is_taken_and_all_are_kept),
        IN_OWN_FOLDER(a_failure_with_other_warnings_is_not_an_interruption),
        IN_OWN_FOLDER(an_incomplete_last_line_is_ignored_and_a_damaged_one_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

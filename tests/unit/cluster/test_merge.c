#include "cluster/merging/merge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "bilanx/record.h"
#include "cluster/merging/record_line.h"
#include "core/record/records.h"
#include "unit.h"

#define RECORD(kind, place, more)                                                   \
    "{\"schema\":\"bilanx/1\",\"kind\":\"" kind "\",\"task\":{\"stmt\":\"f(" #place \
    ")\"},\"place\":" #place ",\"number_per_run\":1,\"raw_times\":[1e-6]" more "}\n"
#define MEASURED(place, more) RECORD("measurement", place, more)
#define FAILED(place) RECORD("failure", place, ",\"error\":{\"code\":\"crashed\"}")

static void write_to(const char *path, const char *text)
{
    assert_ok(file_write(path, text, strlen(text)));
}

// Merges texts, as files 0, 1, ... in a folder, and returns the result; the caller frees it.
static char *merged(const char *const *texts, size_t budget, struct merge_result *result)
{
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(merge) struct merge *merge = merge_new(budget);
    for (size_t i = 0; texts[i]; i++) {
        AUTO(memory) char *path = mem_format("%s/%zu.jsonl", folder.path, i);
        write_to(path, texts[i]);
        assert_ok(merge_add_file(merge, path, NULL));
    }
    AUTO(memory) char *path = mem_format("%s/out", folder.path);
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_ok(merge_write(merge, fd, path, result));
    AUTO(text) struct text out = {0};
    assert_ok(file_read(path, &out));
    return mem_text(text_get(&out));
}
#define MERGED(result, ...) merged((const char *const[]){__VA_ARGS__, NULL}, MERGE_BUDGET, result)

static void records_are_sorted_by_their_positions(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out =
        MERGED(&result, MEASURED(4, "") MEASURED(1, ""), MEASURED(3, "") MEASURED(2, ""));
    assert_string_equal(out, MEASURED(1, "") MEASURED(2, "") MEASURED(3, "") MEASURED(4, ""));
    assert_int_equal(result.records, 4);
    assert_int_equal(result.cases, 4);
    assert_int_equal(result.missing.size, 0);
}

static void the_order_does_not_depend_on_the_budget(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0}, other = {0};
    const char *const texts[] = {MEASURED(9, "") MEASURED(2, "") MEASURED(5, "") FAILED(7),
                                 MEASURED(7, "") MEASURED(1, "") MEASURED(2, ""), MEASURED(3, ""),
                                 NULL};
    AUTO(memory) char *large = merged(texts, MERGE_BUDGET, &result);
    AUTO(memory) char *small = merged(texts, 1, &other);  // every record in a separate file
    assert_string_equal(large, small);
    assert_int_equal(result.duplicates, other.duplicates);
    assert_string_equal(text_get(&result.missing), "4,6,8");
    assert_int_equal(result.cases, 6);
}

static void the_first_of_two_files_wins(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out = MERGED(&result, MEASURED(1, ",\"remark\":\"first\""),
                                    MEASURED(1, ",\"remark\":\"second\""));
    assert_string_equal(out, MEASURED(1, ",\"remark\":\"first\""));
    assert_int_equal(result.duplicates, 1);
}

static void a_failure_or_an_interrupted_measurement_loses(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out =
        MERGED(&result, FAILED(1) MEASURED(2, ",\"warnings\":[{\"code\":\"interrupted\"}]"),
               MEASURED(1, "") MEASURED(2, ""));
    assert_string_equal(out, MEASURED(1, "") MEASURED(2, ""));
    AUTO(merge_result) struct merge_result only = {0};
    AUTO(memory) char *failures = MERGED(&only, FAILED(1), FAILED(1));
    assert_string_equal(failures, FAILED(1));
}

static void repeats_in_one_file_are_kept(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out = MERGED(&result, MEASURED(1, "") MEASURED(1, ""), MEASURED(1, ""));
    assert_string_equal(out, MEASURED(1, "") MEASURED(1, ""));
}

static void replicas_and_sides_are_not_duplicates(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out =
        MERGED(&result, MEASURED(1, ",\"machine\":{\"replica\":1}"),
               MEASURED(1, ",\"machine\":{\"replica\":2}"), MEASURED(1, ",\"side\":\"B\""));
    assert_int_equal(result.records, 3);
    assert_non_null(out);
}

#define OTHER(place) \
    "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{},\"place\":" #place "}\n"

static void cases_of_another_run_are_noticed(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0}, same = {0}, replicas = {0};
    AUTO(memory) char *out = MERGED(&result, MEASURED(1, "") MEASURED(2, "") MEASURED(3, ""),
                                    OTHER(2) OTHER(3) OTHER(4));
    assert_non_null(out);
    assert_int_equal(result.strangers, 2);
    assert_int_equal(result.records, 6);
    AUTO(memory) char *parts =
        MERGED(&same, MEASURED(1, ",\"side\":\"A\""),
               MEASURED(1, ",\"side\":\"A\"") MEASURED(1, ",\"side\":\"B\""));
    assert_non_null(parts);
    assert_int_equal(same.strangers, 0);
    AUTO(memory) char *many = MERGED(&replicas, MEASURED(1, ",\"machine\":{\"replica\":1}"),
                                     MEASURED(1, ",\"machine\":{\"replica\":2}"));
    assert_non_null(many);
    assert_int_equal(replicas.strangers, 0);
}

static void an_incomplete_last_line_is_dropped(void **state)
{
    (void)state;
    AUTO(merge_result) struct merge_result result = {0};
    AUTO(memory) char *out = MERGED(
        &result, MEASURED(1, "") "{\"schema\":\"bilanx/1\",\"kind\":\"meas", MEASURED(2, ""));
    assert_string_equal(out, MEASURED(1, "") MEASURED(2, ""));
}

static void a_line_that_is_not_a_record_is_an_error(void **state)
{
    (void)state;
    static const char *const wrong[] = {"nonsense\n" MEASURED(1, ""),
                                        "{}\n",
                                        "{\"schema\":\"bilanx/1\"\n" MEASURED(1, ""),
                                        "{\"schema\":\"other\"}\n",
                                        "[1]\n" MEASURED(1, ""),
                                        "{\"schema\":\"bilanx/1\",\"a\":[1}]}\n"};
    AUTO(temporary) struct temporary folder = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/a.jsonl", folder.path);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        AUTO(merge) struct merge *merge = merge_new(MERGE_BUDGET);
        write_to(path, wrong[i]);
        assert_error(merge_add_file(merge, path, NULL), BILANX_E_INPUT, "a.jsonl:1");
    }
}

// The library is the reference for the contents of a line.
static void a_line_says_the_same_as_the_record(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"place\":12,\"task\":{\"stmt\":\"a "
        "\\\"place\\\":7, }{[\"},"
        "\"number_per_run\":3,\"raw_times\":[1,2],\"machine\":{\"cpu\":\"x "
        "\\u00e9\",\"node\":\"n7\"}}",
        " { \"schema\" : \"bilanx/1\" , \"kind\" : \"failure\" , \"error\" : { \"code\" : "
        "\"crashed\" } , \"place\" : 3 } ",
        "{\"schema\":\"bilanx/"
        "1\",\"kind\":\"counts\",\"task\":{\"stmt\":\"\\\\\"},\"extra\":[{\"place\":9}]}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct record_line line;
        AUTO(bilanx_record) struct bilanx_record record = {0};
        assert_ok(record_line_read(lines[i], strlen(lines[i]), "line", &line));
        assert_ok(bilanx_record_read(lines[i], strlen(lines[i]), "line", &record));
        assert_int_equal(line.place, record.place);
        assert_int_equal(line.failed, record.error != NULL);
    }
    struct record_line line;
    assert_ok(record_line_read(lines[0], strlen(lines[0]), "line", &line));
    assert_string_equal(line.node, "n7");
}

static void no_prefix_of_a_record_is_one(void **state)
{
    (void)state;
    static const char line[] =
        "{\"schema\":\"bilanx/"
        "1\",\"kind\":\"measurement\",\"a\":[{\"b\":\"\\\"\"},2],\"place\":12}";
    for (size_t size = 0; size < sizeof line - 1; size++) {
        struct record_line facts;
        assert_int_equal(record_line_read(line, size, "line", &facts).status, BILANX_E_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_sorted_by_their_positions),
        cmocka_unit_test(the_order_does_not_depend_on_the_budget),
        cmocka_unit_test(the_first_of_two_files_wins),
        cmocka_unit_test(a_failure_or_an_interrupted_measurement_loses),
        cmocka_unit_test(repeats_in_one_file_are_kept),
        cmocka_unit_test(replicas_and_sides_are_not_duplicates),
        cmocka_unit_test(cases_of_another_run_are_noticed),
        cmocka_unit_test(an_incomplete_last_line_is_dropped),
        cmocka_unit_test(a_line_that_is_not_a_record_is_an_error),
        cmocka_unit_test(a_line_says_the_same_as_the_record),
        cmocka_unit_test(no_prefix_of_a_record_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

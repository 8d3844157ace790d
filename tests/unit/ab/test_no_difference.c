// Cases to which the sides of a comparison make no difference.
#include "ab/comparison/no_difference.h"

#include <math.h>

#include "records.h"

static const char *const worker[] = {"bilanx-worker", "--quiet", NULL}, *const other_worker[] = {
                                                                            "bilanx-worker", NULL};
static const struct run_subject subject = {.launch = {.argv = worker}},
                                other_subject = {.launch = {.argv = other_worker}};

static struct side side_of(const struct side_kind *kind, const char *spec)
{
    return (struct side){
        .name = (char *)"B", .spec = (char *)spec, .title = (char *)spec, .kind = kind};
}

static bool differs(struct side first, struct side other, struct run_case a, struct run_case b)
{
    struct ab_side sides[] = {{.side = &first, .cases = {&a, 1, 1}},
                              {.side = &other, .cases = {&b, 1, 1}}};
    return !ab_makes_no_difference(&sides[0], &sides[1], 0);
}

static struct run_case opened(const char *open)
{
    return (struct run_case){.subject = &subject, .open = (char *)open};
}

static void the_same_object_is_no_difference_between_compilers(void **state)
{
    (void)state;
    struct side gcc = side_of(&side_compiler, "cc:gcc"),
                clang = side_of(&side_compiler, "cc:clang");
    assert_false(differs(gcc, clang, opened(" object=a.so"), opened(" object=a.so")));
    assert_true(differs(gcc, clang, opened(" object=a.so"), opened(" object=b.so")));
}

static void other_kinds_of_sides_always_differ(void **state)
{
    (void)state;
    struct side old = side_of(&side_revision, "git:v1"), new = side_of(&side_revision, "git:v2"),
                gcc = side_of(&side_compiler, "cc:gcc"), shell = side_of(&side_shell, "export A=1");
    assert_true(differs(old, new, opened(" object=a.so"), opened(" object=a.so")));
    assert_true(differs(gcc, shell, opened(" object=a.so"), opened(" object=a.so")));
}

static void a_side_against_itself_is_measured(void **state)
{
    (void)state;
    struct side gcc = side_of(&side_compiler, "cc:gcc");
    assert_true(differs(gcc, gcc, opened(" object=a.so"), opened(" object=a.so")));
}

static void another_program_or_a_failure_is_a_difference(void **state)
{
    (void)state;
    struct side gcc = side_of(&side_compiler, "cc:gcc"),
                clang = side_of(&side_compiler, "cc:clang");
    struct run_case here = opened(" case=1"), there = here, failed = here;
    there.subject = &other_subject;
    struct bilanx_failure failure = {0};
    failed.failure = &failure;
    assert_true(differs(gcc, clang, here, there));
    assert_true(differs(gcc, clang, failed, failed));
}

static void its_verdict_has_neither_times_nor_a_change(void **state)
{
    (void)state;
    struct side gcc = side_of(&side_compiler, "cc:gcc"),
                clang = side_of(&side_compiler, "cc:clang");
    struct run_case item = opened(" object=a.so");
    item.task.stmt = (char *)"f()";
    struct ab_side sides[] = {{.side = &gcc, .cases = {&item, 1, 1}},
                              {.side = &clang, .cases = {&item, 1, 1}}};
    AUTO(bilanx_record) struct bilanx_record record =
        ab_same_without_times(&sides[0], &sides[1], 0);
    assert_string_equal(record.verdict->verdict, "same");
    assert_string_equal(record.verdict->baseline, "cc:gcc");
    assert_string_equal(record.task.stmt, "f()");
    assert_true(isnan(record.verdict->change) && record.verdict->times[0] == 0);
    AUTO(memory) char *json = bilanx_record_json(&record);
    assert_null(strstr(json, "\"change\""));
    assert_null(strstr(json, "\"interval\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_object_is_no_difference_between_compilers),
        cmocka_unit_test(other_kinds_of_sides_always_differ),
        cmocka_unit_test(a_side_against_itself_is_measured),
        cmocka_unit_test(another_program_or_a_failure_is_a_difference),
        cmocka_unit_test(its_verdict_has_neither_times_nor_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

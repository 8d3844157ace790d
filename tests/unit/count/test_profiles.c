// callgrind's files without what led to the loop; which repeat is reported, and how they differ.
#include "count/counting/profiles.h"

#include <string.h>

#include "unit.h"

static void calls_that_began_before_collection_are_left_out(void **state)
{
    (void)state;
    static const char written[] =
        "events: Ir\n"
        "fn=main\ncfi=a.c\ncfn=loop\ncalls=0 7\n3 100\n"
        "fn=loop\n5 60\ncob=libc.so\ncfn=strlen\ncalls=100 20\n5 40\n7 1\n"
        "fn=next\ncfn=other\ncalls=0 8 \n* 9\ntotals: 101\n";
    static const char kept[] = "events: Ir\n"
                               "fn=main\n"
                               "fn=loop\n5 60\ncob=libc.so\ncfn=strlen\ncalls=100 20\n5 40\n7 1\n"
                               "fn=next\ntotals: 101\n";
    AUTO(text) struct text out = {0};
    profiles_trim(written, &out);
    assert_string_equal(text_get(&out), kept);
}

static void the_place_of_a_case_is_removed_from_names(void **state)
{
    (void)state;
    static const struct {
        const char *written, *kept;
    } cases[] = {
        {"fn=(3) bilanx_at12_copies1\nfl=/x/statement@12@\n5 60\n",
         "fn=(3) bilanx_copies1\nfl=/x/statement\n5 60\n"},
        {"fn=bilanx_at_home\ncfn=bilanx_at1\n", "fn=bilanx_at_home\ncfn=bilanx_at1\n"},
        {"fn=memcpy@@GLIBC_2.14\nfn=a@1\n", "fn=memcpy@@GLIBC_2.14\nfn=a@1\n"},
        {"@", "@"},
        {"", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(text) struct text out = {0};
        profiles_drop_places(cases[i].written, &out);
        assert_string_equal(text_get(&out), cases[i].kept);
    }
}

static void trimming_a_truncated_file_adds_nothing(void **state)
{
    (void)state;
    static const char *const torn[] = {"", "calls=0 1", "cfn=x\ncalls=0 1\n", "fn=x\n1 2"};
    for (size_t i = 0; i < LENGTH(torn); i++) {
        AUTO(text) struct text out = {0};
        profiles_trim(torn[i], &out);
        assert_true(out.size <= strlen(torn[i]));
    }
}

static void the_median_is_one_of_the_repeats(void **state)
{
    (void)state;
    struct bilanx_counts counts[] = {
        {.instructions = 9}, {.instructions = 5}, {.instructions = 7}, {.instructions = 5}};
    assert_int_equal(profiles_median(&(struct profiles){counts, 3}), 2);
    assert_int_equal(profiles_median(&(struct profiles){counts, 4}), 1);
    assert_int_equal(profiles_median(&(struct profiles){counts, 1}), 0);
}

static void the_warning_about_differing_repeats_names_functions(void **state)
{
    (void)state;
    struct bilanx_function first[] = {{.function = (char *)"steady", .self = 50},
                                      {.function = (char *)"jumpy", .self = 10},
                                      {.function = (char *)"shy", .self = 0}};
    struct bilanx_function second[] = {{.function = (char *)"steady", .self = 50},
                                       {.function = (char *)"jumpy", .self = 40},
                                       {.function = (char *)"shy", .self = 10}};
    struct bilanx_counts counts[] = {
        {.instructions = 60, .functions = first, .function_count = 3},
        {.instructions = 100, .functions = second, .function_count = 3},
        {.instructions = 100, .functions = second, .function_count = 3}};
    AUTO(bilanx_record) struct bilanx_record same = {0}, other = {0};
    profiles_compare(&(struct profiles){counts + 1, 2}, &same);
    assert_int_equal(same.warning_count, 0);
    profiles_compare(&(struct profiles){counts, 3}, &other);
    assert_int_equal(other.warning_count, 1);
    assert_string_equal(other.warnings[0].code, "counts-vary");
    assert_non_null(
        strstr(other.warnings[0].text, "40 % (60 to 100), due to jumpy (30), shy (10)"));
    assert_null(strstr(other.warnings[0].text, "steady"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_began_before_collection_are_left_out),
        cmocka_unit_test(the_place_of_a_case_is_removed_from_names),
        cmocka_unit_test(trimming_a_truncated_file_adds_nothing),
        cmocka_unit_test(the_median_is_one_of_the_repeats),
        cmocka_unit_test(the_warning_about_differing_repeats_names_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

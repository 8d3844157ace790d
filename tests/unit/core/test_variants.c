// Which variants of glibc's functions records counted.
#include "core/record/variants.h"

#include "base/mem.h"
#include "core/record/facts.h"
#include "unit.h"

static void assert_variants(const char *hwcaps, const char *machine, const char *expected)
{
    struct bilanx_counts counts = {.hwcaps = (char *)hwcaps};
    struct bilanx_record record = {.counts = &counts, .machine = (char *)machine};
    AUTO(memory) char *variants = record_variants(&record);
    assert_string_equal(variants, expected);
}

static void a_level_is_the_same_on_every_machine(void **state)
{
    (void)state;
    assert_variants("x86-64-v2", "{\"cpu\":\"z80\"}", "x86-64-v2");
}

static void native_ones_are_those_of_their_machine(void **state)
{
    (void)state;
    assert_variants("native", "{\"cpu\":\"z80\"}", "native on z80");
    assert_variants("native", "{\"cpu\": \"z80\", \"cpu_features\": \"a b\"}",
                    "native on z80 (a b)");
    assert_variants(NULL, "{\"cores\":1,\"cpu\":\"z80\"}", "native on z80");
    assert_variants(NULL, NULL, "native");
}

static void features_matter_only_if_both_list_them(void **state)
{
    (void)state;
    assert_true(variants_equal("native on Z(R) 80 (a b)", "native on Z(R) 80 (a b)"));
    assert_true(variants_equal("native on Z(R) 80", "native on Z(R) 80 (a b)"));
    assert_false(variants_equal("native on Z(R) 80 (a)", "native on Z(R) 80 (a b)"));
    assert_false(variants_equal("native on Z(R) 80", "native on Z(R) 81 (a b)"));
    assert_false(variants_equal("native", "x86-64-v2"));
}

static void a_difference_names_both(void **state)
{
    (void)state;
    struct bilanx_counts one = {.hwcaps = (char *)"x86-64-v2"}, other = {0};
    struct bilanx_record a = {.counts = &one}, b = {.counts = &other};
    AUTO(text) struct text why = {0};
    assert_false(variants_add_difference(&a, &a, &why));
    assert_true(variants_add_difference(&a, &b, &why));
    assert_string_equal(text_get(&why), "counts are of different variants of glibc's functions: "
                                        "x86-64-v2, and native");
}

static void this_machine_lists_its_features(void **state)
{
    (void)state;
#if defined(__x86_64__)
    AUTO(memory) char *facts = machine_facts("");
    AUTO(memory) char *features = machine_fact(facts, "cpu_features");
    assert_non_null(features);
    bool avx2 = strstr(features, " avx2") != NULL;
    assert_true(avx2 == (__builtin_cpu_supports("avx2") != 0));
#endif
}

static void only_features_in_brackets_at_the_end_may_be_missing(void **state)
{
    (void)state;
    assert_true(variants_equal("native on Z (a)", "native on Z"));
    assert_false(variants_equal("native on Z(a)", "native on Z"));  // part of the name
    assert_false(variants_equal("native on Z (a) 2", "native on Z"));
    assert_false(variants_equal("native on Z (a", "native on Z"));
    assert_true(variants_equal("(a)", "(a)"));
    assert_false(variants_equal("(a)", "(b)"));
    assert_false(variants_equal(" (a)", "x"));
    assert_true(variants_equal(" (a)", ""));
    assert_false(variants_equal("native on Zx", "native on Z (a)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_the_same_on_every_machine),
        cmocka_unit_test(native_ones_are_those_of_their_machine),
        cmocka_unit_test(features_matter_only_if_both_list_them),
        cmocka_unit_test(a_difference_names_both),
        cmocka_unit_test(this_machine_lists_its_features),
        cmocka_unit_test(only_features_in_brackets_at_the_end_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "count/counts/functions.h"

#include "base/mem.h"
#include "callgrind_files.h"
#include "functions_shown.h"

static void functions_are_sorted_by_count_then_name_descending(void **state)
{
    (void)state;
    assert_functions(EXCLUSIVE({"a.c", "f", "x", 1}, {"b.c", "f", NULL, 5}, {"a.c", "g", NULL, 5},
                               {"a.c", "f", NULL, 5}, {NULL, "f", NULL, 5}, {NULL, NULL, NULL, -7}),
                     "5 b.c:f; 5 a.c:g; 5 a.c:f; 5 f; 1 a.c:f [x]; -7 ???");
}

static void equal_names_are_added_up_and_zeros_dropped(void **state)
{
    (void)state;
    assert_functions(EXCLUSIVE({"a", "f", "x", 1}, {"a", "f", "x", 2}, {"a", "f", "y", 4},
                               {"a", "g", "x", 3}, {"a", "g", "x", -3}, {"a", "h", NULL, 0}),
                     "4 a:f [y]; 3 a:f [x]");
    assert_functions(bilanx_functions_make(NULL, 0, false), "");
}

static void a_value_does_not_depend_on_its_inputs(void **state)
{
    (void)state;
    char name[] = "f";
    struct bilanx_functions first = EXCLUSIVE({NULL, name, NULL, 2});
    name[0] = 'x';
    struct bilanx_functions second = bilanx_functions_scale(&first, .5);
    bilanx_functions_done(&first);
    assert_functions(second, "1 f");
}

static void slices_start_with_the_largest(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all =
        EXCLUSIVE({NULL, "f", NULL, 1}, {NULL, "g", NULL, 2}, {NULL, "h", NULL, 3});
    assert_functions(bilanx_functions_slice(&all, 0, 2), "3 h; 2 g");
    assert_functions(bilanx_functions_slice(&all, 2, 10), "1 f");
    assert_functions(bilanx_functions_slice(&all, 3, 1), "");
    assert_functions(bilanx_functions_slice(&all, (size_t)-1, (size_t)-1), "");
    assert_near(bilanx_functions_sum(&all), 6, 0);
}

static void counts_can_be_added_subtracted_and_scaled(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions a =
        EXCLUSIVE({"x", "f", NULL, 5}, {"x", "g", NULL, 2});
    AUTO(bilanx_functions) struct bilanx_functions b =
        EXCLUSIVE({"x", "f", NULL, 5}, {"x", "h", NULL, 1});
    AUTO(bilanx_functions) struct bilanx_functions inclusive = INCLUSIVE({"x", "f", NULL, 5});
    struct bilanx_functions out;
    assert_ok(bilanx_functions_add(&a, &b, &out));
    assert_functions(out, "10 x:f; 2 x:g; 1 x:h");
    assert_ok(bilanx_functions_subtract(&a, &b, &out));
    assert_functions(out, "2 x:g; -1 x:h");
    assert_error(bilanx_functions_add(&a, &inclusive, &out), BILANX_E_USAGE, "cannot mix");
    assert_functions(bilanx_functions_scale(&a, -2), "-4 x:g; -10 x:f");
    assert_functions(bilanx_functions_scale(&a, 0), "");
}

static bool is_large(void *context, const struct bilanx_function_count *function)
{
    return function->count > *(double *)context;
}

static void functions_can_be_filtered_by_callback_or_regex(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all =
        INCLUSIVE({"a.c", "f", "lib.so", 3}, {"b.c", "f", NULL, 2}, {"b.c", "go", NULL, 1});
    double least = 1;
    struct bilanx_functions out = bilanx_functions_filter(&all, is_large, &least);
    assert_true(out.inclusive);
    assert_functions(out, "3 a.c:f [lib.so]; 2 b.c:f");
    assert_ok(bilanx_functions_match(&all, "^b\\.c:(f|g)", false, &out));
    assert_functions(out, "2 b.c:f; 1 b.c:go");
    assert_ok(bilanx_functions_match(&all, "\\[lib", true, &out));
    assert_functions(out, "2 b.c:f; 1 b.c:go");
    assert_error(bilanx_functions_match(&all, "(", false, &out), BILANX_E_USAGE,
                 "'(' is not a regular expression");
}

static void forget_files(void *context, struct bilanx_function_count *function)
{
    (void)context;
    function->file = NULL;
    function->count = 99;  // must be ignored
}

static void renaming_merges_equal_names(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all = EXCLUSIVE(
        {"a.c", "get_int", NULL, 3}, {"b.c", "get_int", NULL, 2}, {"b.c", "get_long", "x", 1});
    struct bilanx_functions out;
    assert_functions(bilanx_functions_transform(&all, forget_files, NULL),
                     "5 get_int; 1 get_long [x]");
    assert_ok(
        bilanx_functions_replace(&all, BILANX_PART_FUNCTION, "_(int|long)", "<\\1>\\\\\\0", &out));
    assert_functions(out, "3 a.c:get<int>\\_int; 2 b.c:get<int>\\_int; 1 b.c:get<long>\\_long [x]");
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_FUNCTION, "^get_.*", "get", &out));
    assert_functions(out, "3 a.c:get; 2 b.c:get; 1 b.c:get [x]");
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_FILE, "[ab]\\.", "x.", &out));
    assert_functions(out, "5 x.c:get_int; 1 x.c:get_long [x]");
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_OBJECT, "x", "", &out));
    assert_functions(out, "3 a.c:get_int; 2 b.c:get_int; 1 b.c:get_long []");
}

static void every_match_is_replaced_even_an_empty_one(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all = EXCLUSIVE({NULL, "abcab", NULL, 1});
    AUTO(bilanx_functions) struct bilanx_functions doubled = EXCLUSIVE({NULL, "aab", NULL, 1});
    struct bilanx_functions out;
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_FUNCTION, "a", "x", &out));
    assert_functions(out, "1 xbcxb");
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_FUNCTION, "c*", "-", &out));
    assert_functions(out, "1 -a-b--a-b-");
    assert_ok(bilanx_functions_replace(&all, BILANX_PART_FUNCTION, "^a", "", &out));
    assert_functions(out, "1 bcab");
    assert_ok(bilanx_functions_replace(&doubled, BILANX_PART_FUNCTION, "^a", "", &out));
    assert_functions(out, "1 ab");
}

static void counts_can_be_exclusive_or_inclusive(void **state)
{
    (void)state;
    char file[] = "a.c", f[] = "f", outer[] = "main";
    struct bilanx_function functions[] = {
        {.file = file, .function = f, .self = 3, .inclusive = 10},
        {.file = file, .function = outer, .self = 0, .inclusive = 10},
    };
    struct bilanx_counts counts = {.functions = functions, .function_count = 2};
    assert_functions(bilanx_functions_of(&counts, false), "3 a.c:f");
    struct bilanx_functions inclusive = bilanx_functions_of(&counts, true);
    assert_true(inclusive.inclusive);
    assert_functions(inclusive, "10 a.c:main; 10 a.c:f");
}

static void the_parts_of_a_file_are_added_up(void **state)
{
    (void)state;
    struct bilanx_functions out;
    write_text("file", "events: Ir\nfn=f\n1 3\ntotals: 3\npart: 2\nevents: Ir\nfn=f\n1 4\n");
    assert_ok(bilanx_functions_read("file", false, &out));
    assert_functions(out, "7 f");
    assert_error(bilanx_functions_read("missing", false, &out), BILANX_E_SYSTEM, "missing");
}

// A quadratic merge would take minutes.
static void a_hundred_thousand_functions_merge_quickly(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    AUTO(memory) struct bilanx_function_count *items =
        mem_array(struct bilanx_function_count, MANY);
    AUTO(memory) char *texts = mem_array(char, (size_t)MANY * 16);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(texts + 16 * i, 16, "f%zu", i);
        items[i] = (struct bilanx_function_count){"a.c", texts + 16 * i, NULL, (double)i};
    }
    AUTO(bilanx_functions) struct bilanx_functions all = bilanx_functions_make(items, MANY, false);
    AUTO(bilanx_functions) struct bilanx_functions twice = {0};
    assert_ok(bilanx_functions_add(&all, &all, &twice));
    assert_int_equal(twice.count, MANY - 1);
    assert_string_equal(twice.items[0].function, "f99999");
    assert_near(bilanx_functions_sum(&twice), 1. * MANY * (MANY - 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_sorted_by_count_then_name_descending),
        cmocka_unit_test(equal_names_are_added_up_and_zeros_dropped),
        cmocka_unit_test(a_value_does_not_depend_on_its_inputs),
        cmocka_unit_test(slices_start_with_the_largest),
        cmocka_unit_test(counts_can_be_added_subtracted_and_scaled),
        cmocka_unit_test(functions_can_be_filtered_by_callback_or_regex),
        cmocka_unit_test(renaming_merges_equal_names),
        cmocka_unit_test(every_match_is_replaced_even_an_empty_one),
        cmocka_unit_test(counts_can_be_exclusive_or_inclusive),
        cmocka_unit_test(the_parts_of_a_file_are_added_up),
        cmocka_unit_test(a_hundred_thousand_functions_merge_quickly),
    };
    return cmocka_run_group_tests(tests, enter_test_folder, remove_test_folder);
}

#include "core/record/function_label.h"

#include "unit.h"

static void the_function_around_a_statement_has_labels(void **state)
{
    (void)state;
    assert_string_equal(function_label("bilanx_copies1", "/x/statement"), "(the statement itself)");
    assert_string_equal(function_label("bilanx_copies8", "bilanx"), "(the loop)");
    assert_string_equal(function_label("bilanx_copies1", "/x/bilanx/s.cpp"), "(the loop)");
    assert_string_equal(function_label("bilanx_copies1", NULL), "(the loop)");
    assert_string_equal(function_label("bilanx_copies1", "crc.c"), "(inlined into the statement)");
    assert_string_equal(function_label("bilanx_barrier", NULL), "(the loop)");
    assert_string_equal(function_label("bilanx_next_", "s.c"), "(the loop)");
    assert_string_equal(function_label("loop_next", "/x/loop.c"), "(bilanx)");
}

static void other_functions_have_none(void **state)
{
    (void)state;
    assert_null(function_label("crc32", "statement"));
    assert_null(function_label(NULL, "statement"));
    assert_null(function_label("loop_next", "mine.c"));
    assert_null(function_label("fnv1a (inlined, strlib.c)", "strlib.c"));
}

static void inlined_functions_name_their_file(void **state)
{
    (void)state;
    assert_true(function_is_inlined("fnv1a (inlined, strlib.c)"));
    assert_true(function_is_inlined("fnv1a (inlined)"));
    assert_false(function_is_inlined("inlined(int)"));
    assert_false(function_is_inlined(NULL));
}

static void every_function_around_the_loop_is_ours_only_in_its_file(void **state)
{
    (void)state;
    static const char *const ours[][2] = {{"loop_next", "loop.c"},
                                          {"loop_pause", "../loop.c"},
                                          {"loop_resume", "/a/b/loop.c"},
                                          {"next_batch", "running.c"},
                                          {"callgrind_toggle", "counter_callgrind.c"}};
    for (size_t i = 0; i < LENGTH(ours); i++) {
        assert_string_equal(function_label(ours[i][0], ours[i][1]), "(bilanx)");
        assert_null(function_label(ours[i][0], "other.c"));
        assert_null(function_label(ours[i][0], NULL));
    }
    assert_null(function_label("other", "loop.c"));
    assert_string_equal(function_label("bilanx_copies2", "/x/bilanx"), "(the loop)");
    assert_string_equal(function_label("bilanx_copies2", "/s.c/crc.h"),
                        "(inlined into the statement)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_around_a_statement_has_labels),
        cmocka_unit_test(other_functions_have_none),
        cmocka_unit_test(inlined_functions_name_their_file),
        cmocka_unit_test(every_function_around_the_loop_is_ours_only_in_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

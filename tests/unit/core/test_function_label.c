#include "core/record/function_label.h"

#include "unit.h"

static void the_function_around_a_statement_has_labels(void **state)
{
    (void)state;
    assert_string_equal(function_label("bilanx_copies1", "/x/statement"), "the statement itself");
    assert_string_equal(function_label("bilanx_copies8", "bilanx"), "the statement itself");
    assert_string_equal(function_label("bilanx_copies1", "/x/bilanx/s.cpp"),
                        "the statement itself");
    assert_string_equal(function_label("bilanx_copies1", NULL), "the statement itself");
    assert_string_equal(function_label("bilanx_copies1", "crc.c"), "inlined into the statement");
    assert_string_equal(function_label("bilanx_barrier", NULL), "the statement itself");
    assert_string_equal(function_label("bilanx_next_", "s.c"), "(bilanx)");
    assert_string_equal(function_label("bilanx_copies1", "???"), "the statement itself");
    assert_string_equal(function_label("loop_next", "/x/loop.c"), "(bilanx)");
    assert_string_equal(function_label("loop_next", "???"), "(bilanx)");
    assert_string_equal(function_label("next_batch", "/x/running.c"), "(bilanx)");
    assert_null(function_label("next_batch", NULL));
}

static void expect(const char *function, const char *file, const char *object, const char *name)
{
    AUTO(text) struct text text = {0};
    function_add_name(&text, function, file, object);
    assert_string_equal(text_get(&text), name);
}

static void functions_are_named_with_their_file_or_else_their_object(void **state)
{
    (void)state;
    expect("crc32_bytes", "checksum.c", "/x/prog", "crc32_bytes (checksum.c)");
    expect("crc32_bytes", "???", "/x/prog", "crc32_bytes (prog)");
    expect("crc32_bytes", NULL, "prog", "crc32_bytes (prog)");
    expect("crc32_bytes", NULL, NULL, "crc32_bytes");
    expect("crc32_bytes", NULL, "/x/0123456789abcdef0123456789abcdef", "crc32_bytes");
    expect("fnv1a (inlined, strlib.c)", "/x/strlib.c", "/x/prog", "fnv1a (inlined, strlib.c)");
    expect("???", "???", "/lib/libz.so.1", "unknown function (libz.so.1)");
    expect(NULL, NULL, "???", "unknown function");
    expect("poll", NULL, "/x/bilanx-worker", "(bilanx)");
}

static void the_body_of_a_benchmark_is_named_by_the_benchmark(void **state)
{
    (void)state;
    expect("bilanx_body_crc", "???", "/x/prog", "benchmark crc");
    expect("bilanx_body_crc", "string.h", "/x/prog", "benchmark crc");
    expect("bilanx_body_crc.constprop.0", NULL, NULL, "benchmark crc");
    expect("bilanx_body_crc(bilanx_bench*)", NULL, NULL, "benchmark crc");
    expect("bilanx_body_7(bilanx_bench*)", NULL, NULL, "the benchmark itself");
    expect("bilanx_fixture_3::bilanx_body_(bilanx_bench*)", NULL, NULL, "the benchmark itself");
    expect("my_bilanx_body_crc", NULL, "prog", "my_bilanx_body_crc (prog)");
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
    }
    assert_null(function_label("next_batch", NULL));  // too common a name
    assert_string_equal(function_label("loop_next", NULL), "(bilanx)");
    assert_null(function_label("other", "loop.c"));
    assert_string_equal(function_label("bilanx_copies2", "/x/bilanx"), "the statement itself");
    assert_string_equal(function_label("bilanx_copies2", "/s.c/crc.h"),
                        "inlined into the statement");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_around_a_statement_has_labels),
        cmocka_unit_test(functions_are_named_with_their_file_or_else_their_object),
        cmocka_unit_test(the_body_of_a_benchmark_is_named_by_the_benchmark),
        cmocka_unit_test(other_functions_have_none),
        cmocka_unit_test(inlined_functions_name_their_file),
        cmocka_unit_test(every_function_around_the_loop_is_ours_only_in_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

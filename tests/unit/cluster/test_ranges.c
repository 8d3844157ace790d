#include "cluster/shards/ranges.h"

#include "unit.h"

static void ranges_are_parsed(void **state)
{
    (void)state;
    AUTO(ranges) struct ranges ranges = {0};
    assert_ok(ranges_parse("1-3,7,10-20:5", &ranges));
    static const uint64_t in[] = {1, 2, 3, 7, 10, 15, 20}, out[] = {0, 4, 8, 11, 21};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(ranges_have(&ranges, in[i]));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_false(ranges_have(&ranges, out[i]));
    assert_int_equal(ranges_size(&ranges), 7);
}

static void anything_else_is_an_error(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", ",", "1,", "3-1", "1-", "-1", "a", "1 2", "1-2:0", "1,,2", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ranges ranges = {0};
        assert_int_equal(ranges_parse(wrong[i], &ranges).status, BILANX_E_INPUT);
        assert_null(ranges.items);
    }
}

static void printed_ranges_are_parsed_again(void **state)
{
    (void)state;
    const uint64_t numbers[] = {1, 2, 3, 5, 9, 10};
    AUTO(text) struct text text = {0};
    ranges_print(numbers, 6, &text);
    assert_string_equal(text_get(&text), "1-3,5,9-10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_parsed),
        cmocka_unit_test(anything_else_is_an_error),
        cmocka_unit_test(printed_ranges_are_parsed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "base/extent.h"

#include <string.h>

#include "unit.h"

static const char OBJECT[] = "{\"a\": {\"b\": [1, \"}]\\\"{\"]}, \"c\": \"\\\\\"}";

static void an_object_ends_at_its_last_bracket(void **state)
{
    (void)state;
    const char text[] = "{\"a\": [{}]}{\"next\": 1}";
    assert_ptr_equal(extent_end(text, text + strlen(text)), text + strlen("{\"a\": [{}]}"));
    assert_ptr_equal(extent_end(OBJECT, OBJECT + strlen(OBJECT)), OBJECT + strlen(OBJECT));
}

static void every_beginning_of_an_object_is_cut(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(OBJECT); size++)
        assert_true(extent_is_cut(OBJECT, size));
    assert_false(extent_is_cut(OBJECT, strlen(OBJECT)));
    assert_true(extent_is_cut("{\"a\": \"\\", 8));
}

static void zeroes_are_cut_and_other_things_are_not(void **state)
{
    (void)state;
    assert_true(extent_is_cut("\0\0\0", 3));
    assert_true(extent_is_cut("{\"a\"\0\0", 6));
    assert_false(extent_is_cut("text", 4));
    assert_false(extent_is_cut("{} more", 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_ends_at_its_last_bracket),
        cmocka_unit_test(every_beginning_of_an_object_is_cut),
        cmocka_unit_test(zeroes_are_cut_and_other_things_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

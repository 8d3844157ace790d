#include "base/index.h"

#include "unit.h"

static struct hash key_of(size_t number)
{
    struct hash key = hash_start();
    hash_add(&key, &number, sizeof number);
    return key;
}

static void an_empty_index_contains_nothing(void **state)
{
    (void)state;
    AUTO(index) struct index index = {0};
    assert_true(index_find(&index, key_of(1)) == SIZE_MAX);
}

static void a_key_keeps_its_first_position(void **state)
{
    (void)state;
    AUTO(index) struct index index = {0};
    bool added = false;
    assert_int_equal(index_find_or_add(&index, key_of(1), 7, &added), 7);
    assert_true(added);
    assert_int_equal(index_find_or_add(&index, key_of(1), 8, &added), 7);
    assert_false(added);
    assert_int_equal(index_find_or_add(&index, key_of(2), 0, &added), 0);  // 0 is an ordinary index
    assert_true(added);
    assert_int_equal(index_find_or_add(&index, key_of(2), 3, &added), 0);
    assert_false(added);
    assert_int_equal(index.count, 2);
    assert_int_equal(index_find(&index, key_of(1)), 7);
    assert_int_equal(index_find(&index, key_of(2)), 0);
    assert_true(index_find(&index, key_of(3)) == SIZE_MAX);
}

static void growing_loses_nothing(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    AUTO(index) struct index index = {0};
    bool added;
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(index_find_or_add(&index, key_of(i), i, &added), i);
        assert_true(added);
    }
    assert_int_equal(index.count, COUNT);
    assert_true(index.room >= 2 * COUNT);  // a search relies on free slots
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(index_find(&index, key_of(i)), i);
    assert_true(index_find(&index, key_of(COUNT)) == SIZE_MAX);
}

// Keys that hash to the last slot, so that the search wraps around.
static void colliding_keys_are_distinguished(void **state)
{
    (void)state;
    AUTO(index) struct index index = {0};
    bool added;
    for (size_t i = 0; i < 6; i++)
        index_find_or_add(&index, (struct hash){15, i}, i, &added);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(index_find(&index, (struct hash){15, i}), i);
    assert_true(index_find(&index, (struct hash){15, 6}) == SIZE_MAX);
    assert_true(index_find(&index, (struct hash){14, 0}) == SIZE_MAX);
}

static void a_released_index_is_empty(void **state)
{
    (void)state;
    struct index index = {0};
    bool added;
    index_find_or_add(&index, key_of(1), 1, &added);
    index_done(&index);
    assert_true(index_find(&index, key_of(1)) == SIZE_MAX);
    index_done(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_index_contains_nothing),
        cmocka_unit_test(a_key_keeps_its_first_position),
        cmocka_unit_test(growing_loses_nothing),
        cmocka_unit_test(colliding_keys_are_distinguished),
        cmocka_unit_test(a_released_index_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

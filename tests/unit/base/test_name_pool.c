#include "base/name_pool.h"

#include <stdio.h>

#include "unit.h"

static void equal_names_are_equal_pointers(void **state)
{
    (void)state;
    AUTO(name_pool) struct name_pool names = {0};
    const char *main_name = name_pool_add(&names, "main");
    assert_string_equal(main_name, "main");
    assert_ptr_equal(name_pool_add_n(&names, "mainly", 4), main_name);
    assert_ptr_not_equal(name_pool_add(&names, "mainly"), main_name);
    assert_null(name_pool_add(&names, NULL));
    assert_string_equal(name_pool_add(&names, ""), "");
}

static void names_stay_where_they_are(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    AUTO(name_pool) struct name_pool names = {0};
    static const char *first[MANY];
    static char long_name[1 << 17];
    memset(long_name, 'x', sizeof long_name - 1);
    const char *kept = name_pool_add(&names, long_name);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            const char *found = name_pool_add(&names, name);
            if (round == 0)
                first[i] = found;
            assert_ptr_equal(found, first[i]);
        }
    assert_int_equal(names.count, MANY + 1);
    assert_string_equal(kept, long_name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_names_are_equal_pointers),
        cmocka_unit_test(names_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

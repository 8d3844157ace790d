// Compiler flags for code to be run under valgrind.
#include "sources/compile/counting.h"

#include "base/text.h"
#include "unit.h"

static void flags_request_debug_information_that_valgrind_can_read(void **state)
{
    (void)state;
    AUTO(list) struct list flags = {0};
    bool replaced = true;
    list_add(&flags, "-O2");
    list_add(&flags, "-g");
    assert_ok(counting_flags(&flags, &replaced));
    assert_int_equal(flags.count, 3);
    assert_string_equal(flags.items[1], "-g");
    assert_string_equal(flags.items[2], "-gdwarf-4");
    assert_false(replaced);
}

static void march_native_becomes_an_architecture_level(void **state)
{
    (void)state;
    AUTO(list) struct list flags = {0};
    bool replaced = false;
    list_add(&flags, "-march=native");
    assert_ok(counting_flags(&flags, &replaced));
#if defined(__x86_64__)
    assert_true(replaced);
    assert_true(text_starts(flags.items[0], "-march=x86-64"));
#endif
}

static void avx512_is_rejected(void **state)
{
    (void)state;
    static const char *const refused[] = {"-mavx512f", "-mavx512vl", "-march=x86-64-v4",
                                          "-march=skylake-avx512", "-march=znver4"};
    for (size_t i = 0; i < LENGTH(refused); i++) {
        AUTO(list) struct list flags = {0};
        bool replaced;
        list_add(&flags, refused[i]);
        assert_error(counting_flags(&flags, &replaced), BILANX_E_COMPILE, refused[i]);
    }
    AUTO(list) struct list fine = {0};
    bool replaced;
    list_add(&fine, "-mavx2");
    list_add(&fine, "-march=x86-64-v3");
    list_add(&fine, "-mno-avx512f");
    assert_ok(counting_flags(&fine, &replaced));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_request_debug_information_that_valgrind_can_read),
        cmocka_unit_test(march_native_becomes_an_architecture_level),
        cmocka_unit_test(avx512_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

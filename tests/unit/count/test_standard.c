#include "functions_shown.h"

static void assert_standard(const char *function, const char *expected)
{
    AUTO(bilanx_functions) struct bilanx_functions one = EXCLUSIVE({NULL, function, NULL, 1});
    AUTO(memory) char *shown = mem_format("1 %s", expected);
    assert_functions(bilanx_functions_standardized(&one), shown);
}

static void suffixes_added_by_compilers_are_removed(void **state)
{
    (void)state;
    assert_standard("f.constprop.0", "f");
    assert_standard("f.isra.0.part.12", "f");
    assert_standard("f.cold", "f");
    assert_standard("f.part.0.cold", "f");
    assert_standard("f.lto_priv.0", "f");
    assert_standard("f.llvm.1234567890", "f");
    assert_standard("f(int) [clone .constprop.0] [clone .cold]", "f(int)");
    assert_standard("f(int) [clone .isra.0.cold]", "f(int)");
    assert_standard("alloc::vec::push::h0123456789abcdef", "alloc::vec::push");
}

static void suffixes_added_by_callgrind_and_the_linker_are_removed(void **state)
{
    (void)state;
    assert_standard("fib'2", "fib");
    assert_standard("fib.part.0'2", "fib");
    assert_standard("__libc_start_main@@GLIBC_2.34", "__libc_start_main");
    assert_standard("0x000000000001ab70", "???");
}

static void other_names_stay_as_they_are(void **state)
{
    (void)state;
    static const char *const names[] = {"f",
                                        "",
                                        "f.avx2",
                                        "f.0",
                                        ".cold",
                                        "'2",
                                        "(below main)",
                                        "std::map<int, char>::operator[]",
                                        "std::string[abi:cxx11]",
                                        "f(char [12])",
                                        "0xyz",
                                        "0x",
                                        "a::h0123456789abcdeg",
                                        "f2",
                                        "@x",
                                        "???"};
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_standard(names[i], names[i]);
}

static void two_builds_get_the_same_names(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all = EXCLUSIVE(
        {"/home/a/build/../src/f.c", "f", "/home/a/libf.so.1", 4},
        {"./src/f.c", "f.isra.0", "x", 2}, {"???", "0x1234", "/lib/a.so", 1},
        {"???", "0x5678", "/lib/b.so", 1}, {"dir/", "g", NULL, .5}, {NULL, NULL, "y", .25});
    assert_functions(bilanx_functions_standardized(&all),
                     "6 f.c:f; 2 ???:???; 0.5 dir/:g; 0.25 ???");
}

// fib'2 and f.part.0 are called by fib and f, whose counts already include them. A second
// specialised copy is not.
static void inclusive_counts_are_not_counted_twice(void **state)
{
    (void)state;
    AUTO(bilanx_functions) struct bilanx_functions all =
        INCLUSIVE({NULL, "fib", NULL, 100}, {NULL, "fib'2", NULL, 98}, {NULL, "f", NULL, 50},
                  {NULL, "f.part.0", NULL, 40}, {NULL, "g.constprop.0", NULL, 3},
                  {NULL, "g.constprop.1", NULL, 4}, {NULL, "alone'2", NULL, 2});
    assert_functions(bilanx_functions_standardized(&all), "100 fib; 50 f; 7 g; 2 alone");
}

static bool is_noise(const char *file, const char *function, const char *object)
{
    AUTO(bilanx_functions) struct bilanx_functions one = EXCLUSIVE({file, function, object, 1});
    AUTO(bilanx_functions) struct bilanx_functions quiet = bilanx_functions_denoise(&one);
    return quiet.count == 0;
}

static void functions_known_to_vary_are_dropped(void **state)
{
    (void)state;
    static const char loader[] = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2";
    assert_true(is_noise("Objects/dictobject.c", "lookdict_unicode_nodummy", "/usr/bin/python3.9"));
    assert_true(is_noise("Objects/dictobject.c", "_Py_dict_lookup", NULL));
    assert_true(is_noise("Objects/dictobject.c", "do_lookup.constprop.0", NULL));
    assert_true(is_noise("???", "_dl_runtime_resolve_xsavec", loader));
    assert_true(is_noise("./elf/dl-lookup.c", "do_lookup_x", loader));
    assert_true(is_noise("./elf/dl-lookup.c", "check_match", NULL));
    assert_true(is_noise("strcmp.S", "strcmp", loader));
    assert_false(is_noise("strcmp.S", "strcmp", "/usr/lib/x86_64-linux-gnu/libc.so.6"));
    assert_false(is_noise("strcmp.S", "strcmp", NULL));
    assert_false(is_noise("mine.c", "do_lookup", NULL));
    assert_false(is_noise("Objects/dictobject.c", "PyDict_New", NULL));
    assert_false(is_noise(NULL, NULL, NULL));
}

static void the_list_gives_a_reason_for_each_function(void **state)
{
    (void)state;
    size_t count;
    const struct bilanx_noise *list = bilanx_noise_list(&count);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++)
        assert_true(list[i].function && *list[i].function && list[i].reason && *list[i].reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suffixes_added_by_compilers_are_removed),
        cmocka_unit_test(suffixes_added_by_callgrind_and_the_linker_are_removed),
        cmocka_unit_test(other_names_stay_as_they_are),
        cmocka_unit_test(two_builds_get_the_same_names),
        cmocka_unit_test(inclusive_counts_are_not_counted_twice),
        cmocka_unit_test(functions_known_to_vary_are_dropped),
        cmocka_unit_test(the_list_gives_a_reason_for_each_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// How GLIBC_TUNABLES is set for processes that are counted.
#include "count/counting/hwcaps.h"

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static void assert_tunables(const char *given, const char *start)
{
    AUTO(memory) char *tunables = hwcaps_tunables(HWCAPS_V2, given);
    AUTO(memory) char *alone = hwcaps_tunables(HWCAPS_V2, NULL);
    AUTO(memory) char *expected = mem_format("%s%s", start, alone);
    assert_string_equal(tunables, expected);
}

static void avx_and_wider_registers_are_disabled_by_both_names(void **state)
{
    (void)state;
    static const char *const names[] = {"-AVX",     "-AVX2",     "-AVX2_Usable",
                                        "-AVX512F", "-AVX512VL", "-ERMS",
                                        "-FMA",     "-RTM",      "-AVX_Fast_Unaligned_Load"};
    AUTO(memory) char *tunables = hwcaps_tunables(HWCAPS_V2, NULL);
    assert_true(text_starts(tunables, "glibc.cpu.hwcaps="));
    char *end = strchr(tunables, ':');
    assert_non_null(end);
    *end = ',';
    tunables[strlen("glibc.cpu.hwcaps")] = ',';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        AUTO(memory) char *word = mem_format(",%s,", names[i]);
        assert_non_null(strstr(tunables, word));
    }
}

static void avx2_stays_enabled_at_the_third_level(void **state)
{
    (void)state;
    AUTO(memory) char *tunables = hwcaps_tunables(HWCAPS_V3, NULL);
    assert_null(strstr(tunables, "-AVX2"));
    assert_null(strstr(tunables, "-FMA,"));
    assert_non_null(strstr(tunables, "-AVX512F,"));
    assert_non_null(strstr(tunables, ",AVX_Fast_Unaligned_Load:"));
}

static void other_tunables_of_the_user_are_kept(void **state)
{
    (void)state;
    assert_tunables("glibc.malloc.perturb=3", "glibc.malloc.perturb=3:");
    assert_tunables("glibc.malloc.perturb=3:glibc.cpu.hwcaps=-AVX2:glibc.rtld.nns=5",
                    "glibc.malloc.perturb=3:glibc.rtld.nns=5:");
    assert_tunables("glibc.cpu.hwcaps=-AVX2", "");
    assert_tunables("", "");
}

// glibc 2.39 ignores the whole variable otherwise.
static void malformed_tunables_are_dropped(void **state)
{
    (void)state;
    assert_tunables("nonsense", "");
    assert_tunables("::glibc.a=1=2:=3:glibc.malloc.perturb=3:x", "glibc.malloc.perturb=3:");
}

static void a_threshold_of_the_user_wins_and_is_recorded(void **state)
{
    (void)state;
    static const char given[] = "glibc.cpu.x86_non_temporal_threshold=0x9000";
    AUTO(memory) char *tunables = hwcaps_tunables(HWCAPS_V2, given);
    const char *first = strstr(tunables, "x86_non_temporal_threshold");
    assert_null(strstr(first + 1, "x86_non_temporal_threshold"));
    assert_true(text_starts(tunables, given));
    AUTO(memory) char *recorded = hwcaps_recorded(HWCAPS_V2, given);
    assert_string_equal(recorded, "x86-64-v2 with glibc.cpu.x86_non_temporal_threshold=0x9000");
}

static void assert_recorded(enum hwcaps hwcaps, const char *given, const char *expected)
{
    AUTO(memory) char *recorded = hwcaps_recorded(hwcaps, given);
    assert_string_equal(recorded, expected);
}

static void the_variants_used_are_recorded(void **state)
{
    (void)state;
    assert_recorded(HWCAPS_V2, NULL, "x86-64-v2");
    assert_recorded(HWCAPS_V3, "glibc.cpu.hwcaps=-AVX2:glibc.rtld.nns=5", "x86-64-v3");
    assert_recorded(HWCAPS_NATIVE, "glibc.rtld.nns=5", "native");
    assert_recorded(HWCAPS_NATIVE, "glibc.cpu.hwcaps=-AVX2", "native with glibc.cpu.hwcaps=-AVX2");
}

static void unknown_levels_are_refused(void **state)
{
    (void)state;
    enum hwcaps hwcaps = HWCAPS_NATIVE;
    assert_ok(hwcaps_read(NULL, &hwcaps));
    assert_int_equal(hwcaps, HWCAPS_V2);
    assert_ok(hwcaps_read("x86-64-v3", &hwcaps));
    assert_int_equal(hwcaps, HWCAPS_V3);
    assert_ok(hwcaps_read("native", &hwcaps));
    assert_int_equal(hwcaps, HWCAPS_NATIVE);
    assert_int_equal(hwcaps_read("x86-64", &hwcaps).status, BILANX_E_USAGE);
    struct bilanx_error error = hwcaps_read("x86-64-v4", &hwcaps);
    assert_int_equal(error.status, BILANX_E_USAGE);
    assert_non_null(strstr(error.text, "AVX-512"));
}

// A suite may set it for its environment; a variable given twice would be read once.
static void a_variable_of_the_environment_is_replaced(void **state)
{
    (void)state;
#if defined(__x86_64__)
    AUTO(list) struct list environment = {0};
    AUTO(memory) char *recorded = NULL;
    list_add(&environment, "HOME=/");
    list_add(&environment, "GLIBC_TUNABLES=glibc.malloc.perturb=3:glibc.cpu.hwcaps=-AVX2");
    assert_ok(hwcaps_pin(HWCAPS_V2, NULL, &environment, &recorded));
    assert_int_equal(environment.count, 2);
    assert_true(text_starts(environment.items[1],
                            "GLIBC_TUNABLES=glibc.malloc.perturb=3:glibc.cpu.hwcaps=-AVX,"));
    assert_string_equal(recorded, "x86-64-v2");
#endif
}

static void a_native_choice_is_left_alone(void **state)
{
    (void)state;
    AUTO(list) struct list environment = {0};
    AUTO(memory) char *recorded = NULL;
    assert_ok(hwcaps_pin(HWCAPS_NATIVE, NULL, &environment, &recorded));
    assert_int_equal(environment.count, 0);
}

static void a_variable_of_the_users_surroundings_is_extended(void **state)
{
    (void)state;
#if defined(__x86_64__)
    AUTO(list) struct list environment = {0};
    AUTO(memory) char *recorded = NULL;
    setenv("GLIBC_TUNABLES", "glibc.malloc.perturb=3", 1);
    assert_ok(hwcaps_pin(HWCAPS_V2, NULL, &environment, &recorded));
    unsetenv("GLIBC_TUNABLES");
    assert_int_equal(environment.count, 1);
    assert_true(
        text_starts(environment.items[0], "GLIBC_TUNABLES=glibc.malloc.perturb=3:glibc.cpu"));
#endif
}

static void the_third_level_needs_a_processor_that_has_it(void **state)
{
    (void)state;
    AUTO(list) struct list environment = {0};
    AUTO(memory) char *recorded = NULL;
    bool has = system("grep -qw avx2 /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo && "
                      "grep -qw fma /proc/cpuinfo") == 0;
    if (has)
        assert_ok(hwcaps_pin(HWCAPS_V3, NULL, &environment, &recorded));
    else
        assert_error(hwcaps_pin(HWCAPS_V3, NULL, &environment, &recorded), BILANX_E_SYSTEM,
                     "--hwcaps x86-64-v3 needs a");
    assert_int_equal(environment.count, has);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx_and_wider_registers_are_disabled_by_both_names),
        cmocka_unit_test(avx2_stays_enabled_at_the_third_level),
        cmocka_unit_test(other_tunables_of_the_user_are_kept),
        cmocka_unit_test(malformed_tunables_are_dropped),
        cmocka_unit_test(a_threshold_of_the_user_wins_and_is_recorded),
        cmocka_unit_test(the_variants_used_are_recorded),
        cmocka_unit_test(unknown_levels_are_refused),
        cmocka_unit_test(a_variable_of_the_environment_is_replaced),
        cmocka_unit_test(a_native_choice_is_left_alone),
        cmocka_unit_test(a_variable_of_the_users_surroundings_is_extended),
        cmocka_unit_test(the_third_level_needs_a_processor_that_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

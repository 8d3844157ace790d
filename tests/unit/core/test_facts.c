// Compared with what other tools say about this machine.
#include "core/record/facts.h"

#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

// The output of a command, without its last newline.
static char *output_of(const char *command)
{
    struct text text = {0};
    char bytes[512];
    size_t size;
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((size = fread(bytes, 1, sizeof bytes, pipe)) > 0)
        text_add_n(&text, bytes, size);
    pclose(pipe);
    if (text.size && text.data[text.size - 1] == '\n')
        text.data[text.size - 1] = '\0';
    return text_take(&text);
}

static void assert_fact(const char *facts, const char *key, const char *command)
{
    AUTO(memory) char *fact = machine_fact(facts, key);
    AUTO(memory) char *expected = output_of(command);
    assert_string_equal(fact ? fact : "", expected ? expected : "");
}

static void assert_count(const char *facts, const char *key, const char *command)
{
    AUTO(memory) char *number = output_of(command);
    AUTO(memory) char *expected = mem_format("\"%s\":%s,", key, number);
    if (!strstr(facts, expected))
        fail_msg("no %s in %s", expected, facts);
}

static void a_machine_is_described_as_by_other_tools(void **state)
{
    (void)state;
    unsetenv("OMP_NUM_THREADS");
    AUTO(memory) char *facts = machine_facts("tsc");
    assert_fact(facts, "arch", "uname -m");
    assert_fact(facts, "kernel", "uname -r");
    assert_fact(facts, "clock", "echo tsc");
    assert_fact(facts, "cpu", "sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1");
    assert_count(facts, "cores", "getconf _NPROCESSORS_ONLN");
    assert_count(facts, "memory", "echo $(($(getconf _PHYS_PAGES) * $(getconf PAGESIZE)))");
    AUTO(memory) char *plain = machine_facts("");
    assert_null(strstr(plain, "\"clock\""));
}

static void the_features_are_those_by_which_libraries_choose(void **state)
{
    (void)state;
    AUTO(memory) char *facts = machine_facts("");
    assert_fact(facts, "cpu_features",
                "for f in ssse3 sse4_2 avx avx2 bmi2 fma avx512f avx512bw avx512vl erms fsrm rtm; "
                "do grep -m1 '^flags' /proc/cpuinfo | grep -qw $f && echo $f; done | xargs");
}

static void the_date_is_now_in_utc(void **state)
{
    (void)state;
    AUTO(memory) char *before = output_of("date -u +%Y-%m-%dT%H:%M:%SZ");
    AUTO(memory) char *facts = machine_facts("");
    AUTO(memory) char *after = output_of("date -u +%Y-%m-%dT%H:%M:%SZ");
    AUTO(memory) char *date = machine_fact(facts, "date");
    assert_non_null(date);
    assert_true(strcmp(before, date) <= 0 && strcmp(date, after) <= 0);
}

static void a_node_of_a_cluster_is_named(void **state)
{
    (void)state;
    setenv("BILANX_NODE", "node7", 1);
    setenv("BILANX_REPLICA", "2", 1);
    AUTO(memory) char *second = machine_facts("");
    assert_fact(second, "node", "echo node7");
    assert_non_null(strstr(second, "\"replica\":2"));
    setenv("BILANX_NODE", "", 1);
    setenv("BILANX_REPLICA", "0", 1);
    AUTO(memory) char *none = machine_facts("");
    assert_null(strstr(none, "\"node\""));
    assert_null(strstr(none, "\"replica\""));
    unsetenv("BILANX_NODE");
    unsetenv("BILANX_REPLICA");
    AUTO(memory) char *alone = machine_facts("");
    assert_null(strstr(alone, "\"node\""));
    assert_null(strstr(alone, "\"replica\""));
}

static void a_fact_is_found_by_its_whole_name(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *key, *value;
    } cases[] = {
        {"{\"a\":\"x\",\"b\": \"y z\"}", "b", "y z"},
        {"{\"ab\":\"x\",\"a\":\"y\"}", "a", "y"},
        {"{\"a\" : \"x\"}", "a", "x"},
        {"{\"a\":5}", "a", NULL},
        {"{\"a\":\"\"}", "a", ""},
        {"{}", "a", NULL},
        {NULL, "a", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(memory) char *fact = machine_fact(cases[i].facts, cases[i].key);
        if (cases[i].value)
            assert_string_equal(fact, cases[i].value);
        else
            assert_null(fact);
    }
}

static void the_governor_is_what_the_kernel_reports(void **state)
{
    (void)state;
    char governor[32] = "x";
    machine_governor(0, governor, sizeof governor);
    AUTO(memory) char *expected =
        output_of("cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor 2>/dev/null");
    assert_string_equal(governor, expected ? expected : "");
    machine_governor(100000, governor, sizeof governor);  // no such CPU
    assert_string_equal(governor, "");
}

// The sums of /proc/stat, as awk adds them up: user, nice, system, irq and softirq are busy; idle
// and iowait are not.
static double stat_sum(const char *columns)
{
    AUTO(memory) char *command =
        mem_format("awk '/^cpu /{printf \"%%.0f\", (%s) / %ld * 1e9}' /proc/stat", columns,
                   sysconf(_SC_CLK_TCK));
    AUTO(memory) char *sum = output_of(command);
    return strtod(sum, NULL);
}

static void the_load_is_that_of_all_processors_since_boot(void **state)
{
    (void)state;
    double busy_before = stat_sum("$2+$3+$4+$7+$8"),
           total_before = stat_sum("$2+$3+$4+$5+$6+$7+$8");
    struct machine_load load = machine_load();
    double busy_after = stat_sum("$2+$3+$4+$7+$8"), total_after = stat_sum("$2+$3+$4+$5+$6+$7+$8");
    assert_true(busy_before <= (double)load.busy_ns && (double)load.busy_ns <= busy_after);
    assert_true(total_before <= (double)load.total_ns && (double)load.total_ns <= total_after);
    assert_true(load.busy_ns < load.total_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_described_as_by_other_tools),
        cmocka_unit_test(the_features_are_those_by_which_libraries_choose),
        cmocka_unit_test(the_date_is_now_in_utc),
        cmocka_unit_test(a_node_of_a_cluster_is_named),
        cmocka_unit_test(a_fact_is_found_by_its_whole_name),
        cmocka_unit_test(the_governor_is_what_the_kernel_reports),
        cmocka_unit_test(the_load_is_that_of_all_processors_since_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

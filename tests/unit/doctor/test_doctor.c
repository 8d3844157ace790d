// The doctor's judgement on fake machines made of a few files, and on made-up figures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four headers above.
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/batches.h"
#include "doctor/checks.h"
#include "doctor/gaps.h"
#include "doctor/siblings.h"
#include "doctor/tool.h"

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/bilanx-doctor-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// Creates a file of the fake machine, and its directories.
static void put(const char *path, const char *content)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(full, 0700);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static struct machine fake(void)
{
    return (struct machine){.root = root, .cpu = 1};
}

static struct bilanx_finding look(const char *name, const struct machine *machine)
{
    struct bilanx_finding finding = {.name = name};
    const struct check *check = checks_find(name);
    assert_non_null(check);
    check->look(machine, &finding);
    assert_true((finding.grade == BILANX_FIX) == (finding.command[0] != '\0'));
    assert_true(finding.text[0] != '\0');
    return finding;
}

static enum bilanx_grade grade(const char *name)
{
    struct machine machine = fake();
    return look(name, &machine).grade;
}

static void on_an_empty_machine_every_check_reports_and_none_asks_for_a_fix(void **state)
{
    (void)state;
    static const char *const names[] = {
        "governor", "turbo", "smt",   "isolation", "power",     "clocksource", "aslr", "huge-pages",
        "perf",     "load",  "quota", "virtual",   "container", "memory",      "swap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_not_equal(grade(names[i]), BILANX_FIX);
}

static void a_missing_file_is_reported_as_unreadable_with_the_cause(void **state)
{
    (void)state;
    struct machine machine = fake();
    struct bilanx_finding finding = look("aslr", &machine);
    assert_int_equal(finding.grade, BILANX_KNOW);
    assert_non_null(strstr(finding.text, "not readable here"));
    assert_non_null(strstr(finding.text, strerror(ENOENT)));
}

static void only_the_governor_of_the_measuring_cpu_matters(void **state)
{
    (void)state;
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    struct machine machine = fake();
    struct bilanx_finding finding = look("governor", &machine);
    assert_int_equal(finding.grade, BILANX_FIX);
    assert_non_null(strstr(finding.text, "powersave"));
    assert_non_null(strstr(finding.command, "cpupower"));
    machine.cpu = 0;
    assert_int_equal(look("governor", &machine).grade, BILANX_GOOD);
}

static void turbo_is_read_from_either_driver(void **state)
{
    (void)state;
    put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    assert_int_equal(grade("turbo"), BILANX_FIX);
    put("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    assert_int_equal(grade("turbo"), BILANX_GOOD);
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    assert_int_equal(grade("turbo"), BILANX_FIX);
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    assert_int_equal(grade("turbo"), BILANX_GOOD);
}

static void siblings_on_the_same_core_are_reported(void **state)
{
    (void)state;
    put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1\n");
    assert_int_equal(grade("smt"), BILANX_GOOD);
    put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
    assert_int_equal(grade("smt"), BILANX_KNOW);
    put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,5\n");
    assert_int_equal(grade("smt"), BILANX_KNOW);
}

static void isolated_cpus_should_be_used_if_there_are_any(void **state)
{
    (void)state;
    put("/sys/devices/system/cpu/isolated", "\n");
    assert_int_equal(grade("isolation"), BILANX_KNOW);
    put("/sys/devices/system/cpu/isolated", "0-1,6\n");
    assert_int_equal(grade("isolation"), BILANX_GOOD);
    put("/sys/devices/system/cpu/isolated", "2,10-12\n");
    struct machine machine = fake();
    struct bilanx_finding finding = look("isolation", &machine);
    assert_int_equal(finding.grade, BILANX_FIX);
    assert_non_null(strstr(finding.command, "taskset -c 2,10-12"));
}

static void running_on_battery_should_be_fixed_and_a_mouse_is_ignored(void **state)
{
    (void)state;
    put("/sys/class/power_supply/mouse/type", "Battery\n");
    put("/sys/class/power_supply/mouse/scope", "Device\n");
    put("/sys/class/power_supply/mouse/status", "Discharging\n");
    assert_int_equal(grade("power"), BILANX_GOOD);
    put("/sys/class/power_supply/AC/type", "Mains\n");
    put("/sys/class/power_supply/BAT0/type", "Battery\n");
    put("/sys/class/power_supply/BAT0/status", "Charging\n");
    assert_int_equal(grade("power"), BILANX_GOOD);
    put("/sys/class/power_supply/BAT0/status", "Discharging\n");
    assert_int_equal(grade("power"), BILANX_FIX);
}

static void a_clocksource_other_than_tsc_should_be_fixed_if_possible(void **state)
{
    (void)state;
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    put("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet\n");
    struct machine machine = fake();
    assert_int_equal(look("clocksource", &machine).grade, BILANX_GOOD);
    machine.tsc_refusal = "the processor does not report an invariant TSC";
    struct bilanx_finding finding = look("clocksource", &machine);
    assert_int_equal(finding.grade, BILANX_KNOW);
    assert_non_null(strstr(finding.text, machine.tsc_refusal));
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    assert_int_equal(look("clocksource", &machine).grade, BILANX_FIX);
    put("/sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet\n");
    assert_int_equal(look("clocksource", &machine).grade, BILANX_KNOW);
}

static void aslr_should_stay_on(void **state)
{
    (void)state;
    put("/proc/sys/kernel/randomize_va_space", "2\n");
    assert_int_equal(grade("aslr"), BILANX_KNOW);
    put("/proc/sys/kernel/randomize_va_space", "0\n");
    assert_int_equal(grade("aslr"), BILANX_FIX);
}

static void huge_pages_for_everyone_are_reported(void **state)
{
    (void)state;
    put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    assert_int_equal(grade("huge-pages"), BILANX_KNOW);
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    assert_int_equal(grade("huge-pages"), BILANX_GOOD);
}

static void forbidden_perf_can_be_fixed_but_missing_perf_cannot(void **state)
{
    (void)state;
    put("/proc/sys/kernel/perf_event_paranoid", "3\n");
    struct machine machine = fake();
    assert_int_equal(look("perf", &machine).grade, BILANX_GOOD);
    machine.hardware_event_error = EACCES;
    assert_int_equal(look("perf", &machine).grade, BILANX_FIX);
    machine.hardware_event_error = ENOENT;
    assert_int_equal(look("perf", &machine).grade, BILANX_KNOW);
}

static void load_is_judged_by_the_number_of_cpus(void **state)
{
    (void)state;
    put("/proc/stat", "cpu  1 2 3\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5\n");
    put("/proc/loadavg", "0.01 0.02 0.00 1/83 4953\n");
    assert_int_equal(grade("load"), BILANX_GOOD);
    put("/proc/loadavg", "0.01 0.02 0.00 2/83 4953\n");
    assert_int_equal(grade("load"), BILANX_KNOW);
    put("/proc/loadavg", "0.50 0.02 0.00 1/83 4953\n");
    assert_int_equal(grade("load"), BILANX_KNOW);
    put("/proc/loadavg", "2.50 0.02 0.00 1/83 4953\n");
    assert_int_equal(grade("load"), BILANX_FIX);
    put("/proc/loadavg", "0.00 0.02 0.00 3/83 4953\n");
    assert_int_equal(grade("load"), BILANX_FIX);
    put("/proc/loadavg", "nonsense\n");
    assert_int_equal(grade("load"), BILANX_KNOW);
}

static void the_tightest_quota_of_all_parent_groups_counts(void **state)
{
    (void)state;
    struct machine machine = fake();
    put("/proc/self/cgroup", "0::/user.slice/job\n");
    put("/sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
    assert_true(machine_cpu_quota(&machine) == 0);
    put("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
    assert_true(machine_cpu_quota(&machine) == 1.5);
    put("/sys/fs/cgroup/user.slice/job/cpu.max", "50000 100000\n");
    assert_true(machine_cpu_quota(&machine) == 0.5);
    assert_int_equal(look("quota", &machine).grade, BILANX_KNOW);
}

static void quotas_of_version_1_control_groups_count_too(void **state)
{
    (void)state;
    struct machine machine = fake();
    put("/proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/docker/ab\n0::/\n");
    put("/sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/docker/ab/cpu.cfs_period_us", "100000\n");
    assert_true(machine_cpu_quota(&machine) == 0);
    put("/sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us", "200000\n");
    assert_true(machine_cpu_quota(&machine) == 2);
    put("/proc/self/cgroup", "broken\n:\n::\n\n");
    assert_true(machine_cpu_quota(&machine) == 0);
}

static void a_hypervisor_goes_by_its_usual_name(void **state)
{
    (void)state;
    struct machine machine = fake();
    assert_int_equal(look("virtual", &machine).grade, BILANX_GOOD);
    strcpy(machine.hypervisor, "Microsoft Hv");
    struct bilanx_finding finding = look("virtual", &machine);
    assert_int_equal(finding.grade, BILANX_KNOW);
    assert_non_null(strstr(finding.text, "Hyper-V"));
}

static void a_container_is_recognised_by_its_marker_files(void **state)
{
    (void)state;
    struct machine machine = fake();
    assert_int_equal(look("container", &machine).grade, BILANX_GOOD);
    put("/.dockerenv", "");
    assert_non_null(strstr(look("container", &machine).text, "docker"));
    put("/run/systemd/container", "lxc\n");
    assert_non_null(strstr(look("container", &machine).text, "lxc"));
}

static void memory_and_swap_are_read_by_their_exact_names(void **state)
{
    (void)state;
    put("/proc/meminfo", "XMemTotal: 1 kB\nMemTotal: 1000000 kB\nMemAvailable: 900000 kB\n"
                         "SwapTotal: 1000 kB\nSwapFree: 1000 kB\n");
    assert_int_equal(grade("memory"), BILANX_GOOD);
    assert_int_equal(grade("swap"), BILANX_GOOD);
    put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 50000 kB\n"
                         "SwapTotal: 1000 kB\nSwapFree: 10 kB\n");
    assert_int_equal(grade("memory"), BILANX_FIX);
    assert_int_equal(grade("swap"), BILANX_KNOW);
}

static void steal_time_is_read_for_the_measuring_cpu(void **state)
{
    (void)state;
    struct machine machine = fake();
    uint64_t steal = 7, total = 7;
    assert_false(machine_steal(&machine, &steal, &total));
    put("/proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 1 2 3 4 5 6 7 8 100 100\n"
                      "cpu10 0 0 0 0 0 0 0 0 0 0\n");
    assert_true(machine_steal(&machine, &steal, &total));
    assert_int_equal(steal, 8);
    assert_int_equal(total, 36);
}

static void waiting_time_is_the_second_field_of_schedstat(void **state)
{
    (void)state;
    struct machine machine = fake();
    double waited = 7;
    assert_false(machine_waited(&machine, &waited));
    assert_true(waited == 7);
    put("/proc/self/schedstat", "1234567 890 12\n");
    assert_true(machine_waited(&machine, &waited));
    assert_true(waited == 890);
}

static void a_version_is_found_in_the_output_of_a_tool(void **state)
{
    (void)state;
    static const struct {
        const char *said, *version;
    } cases[] = {
        {"gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright 2022.1\n", "12.2.0"},
        {"gcc (GCC) 13.2.1 20230801 (Red Hat 13.2.1-1)\n", "13.2.1"},
        {"Debian clang version 14.0.6\nTarget: x86_64\n", "14.0.6"},
        {"Ubuntu clang version 18.1.3 (1ubuntu1)\n", "18.1.3"},
        {"valgrind-3.19.0\n", "3.19.0"},
        {"no number at all\n4.5\n", "?"},
        {"", "?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char version[TOOL_VERSION_SIZE];
        tool_read_version(cases[i].said, version);
        assert_string_equal(version, cases[i].version);
    }
}

static void a_clock_with_large_steps_shows_a_gap_at_every_read(void **state)
{
    (void)state;
    struct clock_fake time = {.step_ns = 5000};
    struct clock clock;
    clock_open_fake(&clock, &time);
    AUTO(gaps) struct gaps gaps;
    gaps_init(&gaps, 1000);
    gaps_watch(&gaps, &clock, 100000);
    struct bilanx_doctor_gaps summary = gaps_summarize(&gaps);
    assert_int_equal(summary.count, 20);
    assert_true(summary.share == 1);
    assert_true(summary.median_ns == 5000 && summary.max_ns == 5000);
    assert_true(fabs(summary.per_second - 200000) < 1e-3);
}

static void a_clock_with_small_steps_shows_no_gap(void **state)
{
    (void)state;
    struct clock_fake time = {.step_ns = 25};
    struct clock clock;
    clock_open_fake(&clock, &time);
    AUTO(gaps) struct gaps gaps;
    gaps_init(&gaps, 10);
    gaps_watch(&gaps, &clock, 100000);
    struct bilanx_doctor_gaps summary = gaps_summarize(&gaps);
    assert_int_equal(summary.count, 0);
    assert_true(summary.watched_ns == 100000);
    assert_true(summary.share == 0 && summary.median_ns == 0 && summary.max_ns == 0);
}

static void watching_stops_when_there_is_no_room_for_more_gaps(void **state)
{
    (void)state;
    struct clock_fake time = {.step_ns = 5000};
    struct clock clock;
    clock_open_fake(&clock, &time);
    AUTO(gaps) struct gaps gaps;
    gaps_init(&gaps, 3);
    gaps_watch(&gaps, &clock, 100000);
    gaps_watch(&gaps, &clock, 100000);
    assert_int_equal(gaps.count, 3);
    assert_true(gaps.watched_ns == 15000);
}

static void gaps_are_summarized_in_any_order(void **state)
{
    (void)state;
    double lengths[] = {9000, 1000, 2000};
    struct gaps gaps = {.lengths_ns = lengths, .count = 3, .room = 3, .watched_ns = 1.2e6};
    struct bilanx_doctor_gaps summary = gaps_summarize(&gaps);
    assert_true(summary.median_ns == 2000 && summary.max_ns == 9000);
    assert_true(fabs(summary.share - 0.01) < 1e-12);
    assert_true(fabs(summary.per_second - 2500) < 1e-9);
}

static void the_spread_of_batches_is_relative_and_ignores_outliers(void **state)
{
    (void)state;
    // Two epochs of four, each with an outlier outside the middle half.
    double times[] = {100, 100, 100, 900, 1, 100, 100, 100};
    struct bilanx_doctor_batches summary = batches_summarize(times, 2, 4, 50);
    assert_int_equal(summary.count, 8);
    assert_true(summary.median_ns == 100 && summary.iqr == 0);
    assert_true(summary.epoch_ns == 200);
    assert_true(summary.estimate_sd < 1e-12);
    assert_true(times[3] == 900);  // the input is unchanged
    double apart[] = {100, 100, 101, 101};
    summary = batches_summarize(apart, 2, 2, 50);
    assert_true(fabs(summary.estimate_sd - log(1.01) / sqrt(2)) < 1e-12);
    assert_true(fabs(summary.iqr - 1 / 100.5) < 1e-12);
}

static struct bilanx_doctor_figures quiet(void)
{
    return (struct bilanx_doctor_figures){
        .clocks = {{"tsc", 20, 20}, {"monotonic-raw", 30, 30}},
        .clock_count = 2,
        .gaps = {.watched_ns = 2e9, .threshold_ns = 1000},
        .batches = {{50e3, 25000, 50e3, 1e-4, 25e6, 1e-4}, {1e6, 1250, 1e6, 1e-4, 25e6, 1e-4}},
    };
}

static struct bilanx_finding judged(const struct bilanx_doctor_figures *figures, bool virtual,
                                    const char *name)
{
    struct bilanx_doctor doctor = {.figures = *figures, .measured = true};
    struct bilanx_finding found = {0};
    figures_judge(&doctor, virtual);
    for (size_t i = 0; i < doctor.finding_count; i++) {
        assert_string_equal(doctor.findings[i].group, "measured");
        if (strcmp(doctor.findings[i].name, name) == 0)
            found = doctor.findings[i];
    }
    bilanx_doctor_done(&doctor);
    assert_non_null(found.name);
    return found;
}

static void a_quiet_machine_has_only_good_findings(void **state)
{
    (void)state;
    static const char *const names[] = {"clock", "interruptions", "waiting",
                                        "steal", "short-batches", "long-batches"};
    struct bilanx_doctor_figures figures = quiet();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(judged(&figures, true, names[i]).grade, BILANX_GOOD);
}

static void a_host_that_takes_more_time_than_it_reports_is_detected(void **state)
{
    (void)state;
    struct bilanx_doctor_figures figures = quiet();
    figures.gaps = (struct bilanx_doctor_gaps){2e9, 1000, 2000, 1000, 2500, 4e6, 0.03};
    struct bilanx_finding finding = judged(&figures, true, "steal");
    assert_int_equal(finding.grade, BILANX_KNOW);
    assert_non_null(strstr(finding.text, "3.0%"));
    assert_int_equal(judged(&figures, false, "steal").grade, BILANX_GOOD);
    assert_int_equal(judged(&figures, true, "interruptions").grade, BILANX_KNOW);
    figures.waited = 0.029;  // other processes on this machine took it, not the host
    assert_int_equal(judged(&figures, true, "steal").grade, BILANX_GOOD);
    assert_int_equal(judged(&figures, true, "waiting").grade, BILANX_KNOW);
    figures.steal = NAN;
    assert_non_null(strstr(judged(&figures, true, "steal").text, "not readable"));
}

static void long_batches_are_compared_with_short_ones(void **state)
{
    (void)state;
    struct bilanx_doctor_figures figures = quiet();
    figures.batches[BILANX_DOCTOR_LONG].iqr = 12e-4;
    struct bilanx_finding finding = judged(&figures, true, "long-batches");
    assert_int_equal(finding.grade, BILANX_KNOW);
    assert_non_null(strstr(finding.text, "12 times"));
    figures.batches[BILANX_DOCTOR_SHORT].iqr = 0;
    assert_null(strstr(judged(&figures, true, "long-batches").text, "inf"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_root, remove_root)

static void a_load_that_takes_the_core_away_shows_a_sibling(void **state)
{
    (void)state;
    assert_int_equal(siblings_judge(.38, .02), SIBLINGS_YES);
    assert_int_equal(siblings_judge(.95, .05), SIBLINGS_YES);
    assert_int_equal(siblings_judge(.95, .93), SIBLINGS_NO);
    assert_int_equal(siblings_judge(.40, .25), SIBLINGS_NO);
}

static void a_core_that_is_never_free_tells_nothing(void **state)
{
    (void)state;
    assert_int_equal(siblings_judge(.01, 0), SIBLINGS_UNKNOWN);
    assert_int_equal(siblings_judge(0, 0), SIBLINGS_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(on_an_empty_machine_every_check_reports_and_none_asks_for_a_fix),
        TEST(a_missing_file_is_reported_as_unreadable_with_the_cause),
        TEST(only_the_governor_of_the_measuring_cpu_matters),
        TEST(turbo_is_read_from_either_driver),
        TEST(siblings_on_the_same_core_are_reported),
        TEST(isolated_cpus_should_be_used_if_there_are_any),
        TEST(running_on_battery_should_be_fixed_and_a_mouse_is_ignored),
        TEST(a_clocksource_other_than_tsc_should_be_fixed_if_possible),
        TEST(aslr_should_stay_on),
        TEST(huge_pages_for_everyone_are_reported),
        TEST(forbidden_perf_can_be_fixed_but_missing_perf_cannot),
        TEST(load_is_judged_by_the_number_of_cpus),
        TEST(the_tightest_quota_of_all_parent_groups_counts),
        TEST(quotas_of_version_1_control_groups_count_too),
        TEST(a_hypervisor_goes_by_its_usual_name),
        TEST(a_container_is_recognised_by_its_marker_files),
        TEST(memory_and_swap_are_read_by_their_exact_names),
        TEST(steal_time_is_read_for_the_measuring_cpu),
        TEST(waiting_time_is_the_second_field_of_schedstat),
        cmocka_unit_test(a_version_is_found_in_the_output_of_a_tool),
        cmocka_unit_test(a_clock_with_large_steps_shows_a_gap_at_every_read),
        cmocka_unit_test(a_clock_with_small_steps_shows_no_gap),
        cmocka_unit_test(watching_stops_when_there_is_no_room_for_more_gaps),
        cmocka_unit_test(gaps_are_summarized_in_any_order),
        cmocka_unit_test(the_spread_of_batches_is_relative_and_ignores_outliers),
        cmocka_unit_test(a_quiet_machine_has_only_good_findings),
        cmocka_unit_test(a_host_that_takes_more_time_than_it_reports_is_detected),
        cmocka_unit_test(long_batches_are_compared_with_short_ones),
        cmocka_unit_test(a_load_that_takes_the_core_away_shows_a_sibling),
        cmocka_unit_test(a_core_that_is_never_free_tells_nothing),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}

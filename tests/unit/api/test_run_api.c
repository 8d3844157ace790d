#include "bilanx/ab.h"
#include "bilanx/count.h"
#include "bilanx/run.h"
#include "bilanx/timer.h"

#include "own_cache.h"
#include "unit.h"

static const char *const stmts[] = {"x += 1", "y += 1", NULL};

// Outputs are set whatever happens, so these are not left at what they were.
static struct bilanx_record *const UNSET = (struct bilanx_record *)8;

static struct bilanx_error run(struct bilanx_run_options options)
{
    struct bilanx_record *records = UNSET;
    size_t count = 99;
    struct bilanx_error error = bilanx_run(&options, &records, &count);
    assert_null(records);
    assert_int_equal(count, 0);
    return error;
}

static struct bilanx_error count_them(struct bilanx_run_options what,
                                      struct bilanx_count_options options)
{
    struct bilanx_record *records = UNSET;
    size_t count = 99;
    struct bilanx_error error = bilanx_count(&what, &options, &records, &count);
    assert_null(records);
    assert_int_equal(count, 0);
    return error;
}

static struct bilanx_error compare(struct bilanx_ab_options options)
{
    static const struct bilanx_ab_side sides[] = {{"A", "cc:cc", NULL}, {"B", "cc:cc", NULL}};
    struct bilanx_record *records = UNSET;
    size_t count = 99;
    struct bilanx_error error = bilanx_ab(sides, 2, &options, &records, &count);
    assert_null(records);
    assert_int_equal(count, 0);
    return error;
}

static struct bilanx_error time_one(struct bilanx_statement statement)
{
    struct bilanx_record record = {.kind = (char *)UNSET};
    struct bilanx_error error = bilanx_time_statement(&statement, &record);
    assert_null(record.kind);
    bilanx_record_done(&record);
    return error;
}

#define REFUSED(call, member) assert_error(call, BILANX_E_USAGE, "option '" member "' takes ")

static void times_that_are_none_are_refused(void **state)
{
    (void)state;
    const double wrong[] = {-1, NAN, INFINITY, -INFINITY, 1e300};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        double t = wrong[i];
        REFUSED(run((struct bilanx_run_options){stmts, .max_run_time = t}), "max_run_time");
        REFUSED(run((struct bilanx_run_options){stmts, .min_run_time = t}), "min_run_time");
        REFUSED(run((struct bilanx_run_options){stmts, .warmup = t}), "warmup");
        REFUSED(run((struct bilanx_run_options){stmts, .timeout = t}), "timeout");
        REFUSED(count_them((struct bilanx_run_options){stmts, .timeout = t},
                           (struct bilanx_count_options){0}),
                "timeout");
        REFUSED(compare((struct bilanx_ab_options){stmts, .budget = t}), "budget");
        REFUSED(compare((struct bilanx_ab_options){stmts, .timeout = t}), "timeout");
        REFUSED(time_one((struct bilanx_statement){"1", .max_run_time = t}), "max_run_time");
        REFUSED(time_one((struct bilanx_statement){"1", .min_run_time = t}), "min_run_time");
        REFUSED(time_one((struct bilanx_statement){"1", .timeout = t}), "timeout");
    }
}

static void shares_that_are_none_are_refused(void **state)
{
    (void)state;
    const double wrong[] = {-.1, NAN, INFINITY};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        REFUSED(compare((struct bilanx_ab_options){stmts, .alpha = wrong[i]}), "alpha");
        REFUSED(compare((struct bilanx_ab_options){stmts, .margin = wrong[i]}), "margin");
        REFUSED(compare((struct bilanx_ab_options){stmts, .equal = wrong[i]}), "equal");
    }
    assert_error(compare((struct bilanx_ab_options){stmts, .alpha = 5}), BILANX_E_USAGE,
                 "option 'alpha' takes a share above 0 and below 1, not '5'");
}

static void counts_that_are_too_large_are_refused(void **state)
{
    (void)state;
    REFUSED(run((struct bilanx_run_options){stmts, .repeats = UINT64_MAX}), "repeats");
    REFUSED(run((struct bilanx_run_options){stmts, .take = UINT64_MAX}), "take");
    REFUSED(compare((struct bilanx_ab_options){stmts, .take = UINT64_MAX}), "take");
    REFUSED(count_them((struct bilanx_run_options){stmts},
                       (struct bilanx_count_options){.repeats = UINT64_MAX}),
            "repeats");
    REFUSED(time_one((struct bilanx_statement){"1", .repeats = UINT64_MAX}), "repeats");
    REFUSED(time_one((struct bilanx_statement){"1", .num_threads = UINT64_MAX}), "num_threads");
}

static void options_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    assert_error(run((struct bilanx_run_options){stmts, .min_run_time = 2, .max_run_time = 1}),
                 BILANX_E_USAGE, "min-run-time 2 s is more than max-run-time 1 s");
    assert_error(time_one((struct bilanx_statement){"1", .method = "timeit", .number = UINT64_MAX}),
                 BILANX_E_USAGE, "without an answer");
}

static void other_errors_leave_no_records_either(void **state)
{
    (void)state;
    const char *const missing[] = {"no/such/suite.yaml", NULL};
    assert_error(run((struct bilanx_run_options){0}), BILANX_E_USAGE, "nothing to measure");
    assert_error(run((struct bilanx_run_options){stmts, .suites = missing}), BILANX_E_USAGE,
                 "cannot mix");
    assert_error(run((struct bilanx_run_options){stmts, .method = "x"}), BILANX_E_USAGE, "'x'");
    assert_error(run((struct bilanx_run_options){stmts, .language = "x"}), BILANX_E_USAGE, "'x'");
    assert_error(run((struct bilanx_run_options){.suites = missing}), BILANX_E_SYSTEM,
                 "suite.yaml");
    assert_error(count_them((struct bilanx_run_options){0}, (struct bilanx_count_options){0}),
                 BILANX_E_USAGE, "nothing to measure");
    assert_error(count_them((struct bilanx_run_options){stmts},
                            (struct bilanx_count_options){.hwcaps = "x"}),
                 BILANX_E_USAGE, "'x'");
    assert_error(time_one((struct bilanx_statement){0}), BILANX_E_USAGE, "no statement");
    assert_error(time_one((struct bilanx_statement){"1", .language = "x"}), BILANX_E_USAGE, "'x'");
}

static void a_filter_chooses_statements(void **state)
{
    (void)state;
    const struct bilanx_run_options options = {.stmts = stmts,
                                               .setup = "long x = 0, y = 0",
                                               .filter = "^y",
                                               .method = "timeit",
                                               .number = 1};
    struct bilanx_record *records;
    size_t count;
    assert_ok(bilanx_run(&options, &records, &count));
    assert_int_equal(count, 1);
    assert_string_equal(records[0].task.stmt, "y += 1");
    bilanx_record_done(&records[0]);
    free(records);
}

static void a_filter_that_fits_nothing_or_is_broken_is_an_error(void **state)
{
    (void)state;
    assert_error(run((struct bilanx_run_options){.stmts = stmts, .filter = "z"}), BILANX_E_FAILED,
                 "no case matches the filter 'z'");
    assert_error(run((struct bilanx_run_options){.stmts = stmts, .filter = "("}), BILANX_E_USAGE,
                 "filter '(' is not a regular expression");
    assert_error(compare((struct bilanx_ab_options){.stmts = stmts, .filter = "("}), BILANX_E_USAGE,
                 "filter '(' is not a regular expression");
}

struct seen {
    size_t records;
    double times;
};

static void see(void *context, const struct bilanx_record *record)
{
    struct seen *seen = context;
    assert_string_equal(record->kind, "measurement");
    seen->records++;
    seen->times += record->stats.estimate;
}

static void records_are_in_the_order_of_their_cases_and_are_shown_as_they_complete(void **state)
{
    (void)state;
    static const char *const three[] = {"x += 1", "y += 1", "x += y", NULL};
    struct seen seen = {0};
    const struct bilanx_run_options options = {.stmts = three,
                                               .setup = "long x = 0, y = 0",
                                               .method = "timeit",
                                               .number = 10,
                                               .repeats = 2,
                                               .finished = see,
                                               .context = &seen};
    struct bilanx_record *records;
    size_t count;
    assert_ok(bilanx_run(&options, &records, &count));
    assert_int_equal(count, 3);
    assert_int_equal(seen.records, 3);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(records[i].task.stmt, three[i]);
        assert_string_equal(records[i].timing.method, "timeit");
        assert_int_equal(records[i].place, i + 1);
        assert_int_equal(records[i].timing.number_per_run, 10);
        assert_int_equal(records[i].timing.raw_count, 2);
        sum += records[i].stats.estimate;
        bilanx_record_done(&records[i]);
    }
    assert_near(seen.times, sum, 0);
    free(records);
}

static void levels_of_the_processor_are_for_counts_by_valgrind(void **state)
{
    (void)state;
    assert_error(count_them((struct bilanx_run_options){stmts},
                            (struct bilanx_count_options){.perf = true, .hwcaps = "native"}),
                 BILANX_E_USAGE, "hwcaps is for counts by valgrind, not by perf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_that_are_none_are_refused),
        cmocka_unit_test(shares_that_are_none_are_refused),
        cmocka_unit_test(counts_that_are_too_large_are_refused),
        cmocka_unit_test(options_that_contradict_each_other_are_refused),
        cmocka_unit_test(other_errors_leave_no_records_either),
        cmocka_unit_test(a_filter_chooses_statements),
        cmocka_unit_test(a_filter_that_fits_nothing_or_is_broken_is_an_error),
        cmocka_unit_test(records_are_in_the_order_of_their_cases_and_are_shown_as_they_complete),
        cmocka_unit_test(levels_of_the_processor_are_for_counts_by_valgrind),
    };
    return cmocka_run_group_tests(tests, own_cache_begin, own_cache_end);
}

#include "core/bench/cases.h"

#include "unit.h"

static void body(struct bilanx_bench *b)
{
    (void)b;
}

// Registrations last as long as the program: one benchmark, redefined by each test.
static const int64_t no_args[] = {0}, args[] = {64, 4096, 0};
static struct bilanx_registration bench = {.name = "bench", .body = body};
static void (*definition)(struct bilanx_definition *d);

static void define(struct bilanx_definition *d)
{
    if (definition)
        definition(d);
}
static struct bilanx_case_registration registration = {"bench", define, NULL};

static struct bench_cases cases;

static int forget(void **state)
{
    (void)state;
    bench_cases_done(&cases);
    definition = NULL;
    bench.name = "bench";
    bench.args = no_args;
    bench.args_size = sizeof no_args;
    bench.next = NULL;
    return 0;
}

static void expand(void (*by)(struct bilanx_definition *d))
{
    forget(NULL);
    definition = by;
    assert_ok(bench_cases_make(&cases));
}

static void refuse(void (*by)(struct bilanx_definition *d), const char *part)
{
    forget(NULL);
    definition = by;
    assert_error(bench_cases_make(&cases), BILANX_E_USAGE, part);
}

// The names of all cases, without "bench", in a row.
static void assert_names(const char *expected)
{
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < cases.count; i++)
        text_format(&names, "%s%s", i ? " " : "", cases.items[i].name + strlen("bench"));
    assert_string_equal(text_get(&names), expected);
}

static void a_benchmark_without_arguments_is_one_case(void **state)
{
    (void)state;
    expand(NULL);
    assert_int_equal(cases.count, 1);
    const struct bench_case *item = &cases.items[0];
    assert_string_equal(item->name, "bench");
    assert_string_equal(item->label, "bench");
    assert_null(item->sub_label);
    assert_null(item->description);
    assert_int_equal(item->threads, 1);
    assert_int_equal(bench_arg_count(item->definition), 0);
}

static void each_argument_in_the_macro_is_a_case(void **state)
{
    (void)state;
    forget(NULL);
    bench.args = args;
    bench.args_size = sizeof args;
    assert_ok(bench_cases_make(&cases));
    assert_names("/64 /4096");
    assert_int_equal(cases.items[1].args[0], 4096);
    assert_string_equal(cases.items[1].sub_label, "4096");
    assert_null(bench_arg_name(cases.items[1].definition, 0));
}

static void two_axes(struct bilanx_definition *d)
{
    bilanx_axis(d, "n", 1, 2);
    bilanx_axis(d, "k", -3, 4);
    bilanx_axis(d, "n", 5);  // more values for the first
}

static void axes_multiply(void **state)
{
    (void)state;
    expand(two_axes);
    assert_names("/n=1/k=-3 /n=1/k=4 /n=2/k=-3 /n=2/k=4 /n=5/k=-3 /n=5/k=4");
    assert_string_equal(cases.items[0].sub_label, "n=1 k=-3");
    assert_string_equal(bench_arg_name(cases.items[0].definition, 1), "k");
    assert_int_equal(cases.items[5].args[0], 5);
    assert_int_equal(cases.items[5].args[1], 4);
}

static void range_powers(struct bilanx_definition *d)
{
    bilanx_range(d, "n", 16, 1024, 4);
}
static void range_rest(struct bilanx_definition *d)
{
    bilanx_range(d, "n", 3, 100, 10);
}
static void range_point(struct bilanx_definition *d)
{
    bilanx_range(d, "n", 7, 7, 2);
}
static void range_end(struct bilanx_definition *d)
{
    bilanx_range(d, "n", 1ll << 61, INT64_MAX, 2);
}
static void range_wide(struct bilanx_definition *d)
{
    bilanx_range(d, "n", 1, INT64_MAX, INT64_MAX);
}

static void ranges_multiply_and_include_their_end(void **state)
{
    (void)state;
    expand(range_powers);
    assert_names("/n=16 /n=64 /n=256 /n=1024");
    expand(range_rest);
    assert_names("/n=3 /n=30 /n=100");
    expand(range_point);
    assert_names("/n=7");
    expand(range_end);
    assert_names("/n=2305843009213693952 /n=4611686018427387904 /n=9223372036854775807");
    expand(range_wide);
    assert_names("/n=1 /n=9223372036854775807");
}

static void steps_even(struct bilanx_definition *d)
{
    bilanx_steps(d, "n", -2, 4, 3);
}
static void steps_rest(struct bilanx_definition *d)
{
    bilanx_steps(d, "n", 0, 5, 3);
}
static void steps_low(struct bilanx_definition *d)
{
    bilanx_steps(d, "n", INT64_MIN, INT64_MIN, 1);
}
static void steps_wide(struct bilanx_definition *d)
{
    bilanx_steps(d, "n", INT64_MIN, INT64_MAX, INT64_MAX);
}

static void steps_add_and_never_exceed_their_end(void **state)
{
    (void)state;
    expand(steps_even);
    assert_names("/n=-2 /n=1 /n=4");
    expand(steps_rest);
    assert_names("/n=0 /n=3");
    expand(steps_low);
    assert_names("/n=-9223372036854775808");
    expand(steps_wide);
    assert_names("/n=-9223372036854775808 /n=-1 /n=9223372036854775806");
}

static void two_tuples(struct bilanx_definition *d)
{
    bilanx_names(d, "rows", "columns");
    bilanx_case(d, 1, 2);
    bilanx_case(d, 3, 4);
    bilanx_threads(d, 1, 8);
}

static void tuples_have_names_and_threads(void **state)
{
    (void)state;
    expand(two_tuples);
    assert_names("/rows=1/columns=2/threads=1 /rows=1/columns=2/threads=8 "
                 "/rows=3/columns=4/threads=1 /rows=3/columns=4/threads=8");
    assert_int_equal(cases.items[3].threads, 8);
    assert_string_equal(cases.items[3].sub_label, "rows=3 columns=4");
}

static void labelled(struct bilanx_definition *d)
{
    bilanx_axis(d, "n", 64);
    bilanx_axis(d, "n2", 7);
    bilanx_label(d, "$n of $n2, $0 $1");
    bilanx_sub_label(d, "$$n $ $missing $2 $n_x 100%s $");
    bilanx_description(d, "");
    bilanx_complexity(d, "1");
}

static void arguments_are_substituted_in_labels(void **state)
{
    (void)state;
    expand(labelled);
    assert_string_equal(cases.items[0].label, "64 of 7, 64 7");
    assert_string_equal(cases.items[0].sub_label, "$n $ $missing $2 $n_x 100%s $");
    assert_string_equal(cases.items[0].description, "");
    assert_string_equal(bench_complexity(cases.items[0].definition), "n2");
}

#define DEFINE(name, ...)                         \
    static void name(struct bilanx_definition *d) \
    {                                             \
        __VA_ARGS__;                              \
    }
DEFINE(range_zero, bilanx_range(d, "n", 0, 4, 2))
DEFINE(range_down, bilanx_range(d, "n", 4, 1, 2))
DEFINE(range_still, bilanx_range(d, "n", 1, 4, 1))
DEFINE(steps_down, bilanx_steps(d, "n", 4, 1, 1))
DEFINE(steps_still, bilanx_steps(d, "n", 1, 4, 0))
DEFINE(steps_endless, bilanx_steps(d, "n", 0, INT64_MAX, 1))
DEFINE(axis_empty, bilanx_axis_values(d, "n", NULL, 0))
DEFINE(mixed, bilanx_case(d, 1); bilanx_axis(d, "n", 1))
DEFINE(mixed_again, bilanx_axis(d, "n", 1); bilanx_case(d, 1))
DEFINE(uneven, bilanx_case(d, 1); bilanx_case(d, 1, 2))
DEFINE(named_axis, bilanx_axis(d, "n", 1); bilanx_names(d, "m"))
DEFINE(no_threads, bilanx_threads(d, 0))
DEFINE(too_many_threads, bilanx_threads(d, 5000))
DEFINE(unknown_complexity, bilanx_axis(d, "n", 1); bilanx_complexity(d, "m"))
DEFINE(long_tuple, bilanx_case(d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17))
DEFINE(endless_product, static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                            "i", "j", "k", "l", "m", "n"};
       for (size_t i = 0; i < LENGTH(names); i++) bilanx_steps(d, names[i], 1, 32, 1))
DEFINE(many_axes, static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                      "j", "k", "l", "m", "n", "o", "p", "q"};
       for (size_t i = 0; i < LENGTH(names); i++) bilanx_steps(d, names[i], 1, 1, 1))

static void mistakes_are_named(void **state)
{
    (void)state;
    refuse(range_zero, "benchmark 'bench': bilanx_range 'n' needs 1 <= from");
    refuse(range_down, "bilanx_range 'n'");
    refuse(range_still, "a factor of at least 2");
    refuse(steps_down, "bilanx_steps 'n' needs from <= to");
    refuse(steps_still, "a step of at least 1");
    refuse(steps_endless, "more than 100000 cases");
    refuse(endless_product, "more than 100000 cases");
    refuse(axis_empty, "the axis 'n' has no values");
    refuse(mixed, "cannot be mixed");
    refuse(mixed_again, "cannot be mixed");
    refuse(uneven, "one bilanx_case has 1 arguments, another 2");
    refuse(named_axis, "an axis has its own name");
    refuse(no_threads, "a case cannot have 0 threads");
    refuse(too_many_threads, "a case cannot have 5000 threads");
    refuse(unknown_complexity, "an unknown argument 'm'");
    refuse(long_tuple, "more than 16 arguments");
    refuse(many_axes, "more than 16 arguments");
}

static void names_must_match_and_be_unique(void **state)
{
    (void)state;
    forget(NULL);
    bench.name = "other";
    assert_error(bench_cases_make(&cases), BILANX_E_USAGE,
                 "BILANX_CASES(bench) has no matching BILANX_BENCH(bench)");
    forget(NULL);
    struct bilanx_registration twin = bench;
    bilanx_bench_register(&twin);
    assert_error(bench_cases_make(&cases), BILANX_E_USAGE, "two benchmarks are named 'bench'");
    bench_cases_done(&cases);
    static const int64_t other[] = {8, 0};
    twin.args = other;
    twin.args_size = sizeof other;
    assert_ok(bench_cases_make(&cases));
    assert_int_equal(cases.count, 2);
}

int main(void)
{
    bilanx_bench_register(&bench);
    bilanx_bench_register_cases(&registration);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_benchmark_without_arguments_is_one_case, forget),
        cmocka_unit_test_teardown(each_argument_in_the_macro_is_a_case, forget),
        cmocka_unit_test_teardown(axes_multiply, forget),
        cmocka_unit_test_teardown(ranges_multiply_and_include_their_end, forget),
        cmocka_unit_test_teardown(steps_add_and_never_exceed_their_end, forget),
        cmocka_unit_test_teardown(tuples_have_names_and_threads, forget),
        cmocka_unit_test_teardown(arguments_are_substituted_in_labels, forget),
        cmocka_unit_test_teardown(mistakes_are_named, forget),
        cmocka_unit_test_teardown(names_must_match_and_be_unique, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "core/show/growth.h"

#include "shown.h"

static void add_point(struct stage *stage, const char *label, double n, double seconds)
{
    AUTO(text) struct text members = {0};
    text_format(&members, "'kind':'measurement','number_per_run':1,'raw_times':[%.17g]", seconds);
    struct run_case *item = stage_add(stage, "case", n, record_of(text_get(&members)));
    item->task.label = mem_text(label);
    item->complexity = mem_text("n");
}

static void assert_growth(const struct stage *stage, const char *expected)
{
    AUTO(text) struct text out = {0};
    growth_show(&stage->shown, NULL, &out);
    assert_string_equal(text_get(&out), expected);
}

static void the_exponent_is_shown_with_its_interval(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    for (double n = 16; n <= 1024; n *= 4)
        add_point(&stage, "square", n, n * n * 1e-9);
    assert_growth(&stage, "square: time grows as n^2.00 (95 %: 2.00 to 2.00)\n");
}

static void growth_is_shown_only_on_request(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    stage_add(&stage, "plain", 1, MEASURED("[1]", ""));
    assert_growth(&stage, "");
}

static void each_label_has_its_own_line(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    for (double n = 1; n <= 4; n *= 2) {
        add_point(&stage, "linear", n, n);
        add_point(&stage, "cubic", n, n * n * n);
    }
    assert_growth(&stage, "linear: time grows as n^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n"
                          "cubic: time grows as n^3.00 (95 %: 3.00 to 3.00; 3 values are few)\n");
}

static void each_combination_of_other_arguments_has_its_own_line(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    for (int i = 0; i < 6; i++) {
        add_point(&stage, "x", 1 << i / 2, (1 << i / 2) * (i % 2 ? 1 : 5));
        struct run_case *item = &stage.cases[i];
        item->arguments[item->argument_count++] =
            (struct run_argument){mem_text("k\033"), i % 2 ? 8 : 0.5};
        item->task.num_threads = i % 2 ? 2 : 1;
    }
    assert_growth(
        &stage,
        "x k\\x1b=0.5: time grows as n^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n"
        "x k\\x1b=8 threads=2: time grows as n^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n");
}

static void too_few_points_are_reported(void **state)
{
    (void)state;
    AUTO(stage) struct stage two = {0};
    add_point(&two, "two", 1, 1);
    add_point(&two, "two", 2, 2);
    assert_growth(&two, "two: needs three values of n to show how time grows\n");
    AUTO(stage) struct stage same = {0};
    for (int i = 0; i < 4; i++)
        add_point(&same, "same", 8, 1);
    assert_growth(&same, "same: needs three values of n to show how time grows\n");
}

static void points_without_a_logarithm_are_left_out(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    add_point(&stage, "x", 0, 1);
    add_point(&stage, "x", 4, 0);
    for (double n = 1; n <= 4; n *= 2)
        add_point(&stage, "x", n, n);
    stage_add(&stage, "failed", 8, record_of("'kind':'failure','error':{'code':'crashed'}"));
    assert_growth(&stage, "x: time grows as n^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n");
}

static void an_unnamed_argument_is_n_and_labels_are_escaped(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    for (int i = 0; i < 3; i++) {
        add_point(&stage, "\033[2J", 1 << i, 1 << i);
        strcpy(stage.cases[i].complexity, "0");
        strcpy(stage.cases[i].arguments[0].name, "0");
    }
    assert_growth(&stage,
                  "\\x1b[2J: time grows as n^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n");
}

// One sample of the inputs of a statement.
static void add_sample(struct stage *stage, const char *stmt, double elements, double seconds)
{
    add_point(stage, NULL, elements, seconds);
    struct run_case *item = &stage->cases[stage->shown.count - 1];
    strcpy(item->arguments[0].name, "e");
    free(item->complexity);
    item->complexity = NULL;
    item->task.stmt = (char *)stmt;
}

static void a_line_for_each_statement_over_its_inputs(void **state)
{
    (void)state;
    AUTO(stage) struct stage stage = {0};
    AUTO(text) struct text out = {0};
    for (double n = 1; n <= 4; n *= 2) {
        add_sample(&stage, "sum(x)", n, n);
        add_sample(&stage, "sort(x)", n, n * n);
    }
    assert_growth(&stage, "");
    growth_show(&stage.shown, "e", &out);
    assert_string_equal(text_get(&out),
                        "sum(x): time grows as e^1.00 (95 %: 1.00 to 1.00; 3 values are few)\n"
                        "sort(x): time grows as e^2.00 (95 %: 2.00 to 2.00; 3 values are few)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponent_is_shown_with_its_interval),
        cmocka_unit_test(growth_is_shown_only_on_request),
        cmocka_unit_test(each_label_has_its_own_line),
        cmocka_unit_test(each_combination_of_other_arguments_has_its_own_line),
        cmocka_unit_test(too_few_points_are_reported),
        cmocka_unit_test(points_without_a_logarithm_are_left_out),
        cmocka_unit_test(an_unnamed_argument_is_n_and_labels_are_escaped),
        cmocka_unit_test(a_line_for_each_statement_over_its_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

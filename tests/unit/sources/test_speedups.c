#include "sources/operator_cases/speedups.h"

#include "unit.h"

enum { BACKENDS = 3, MOST = 8 };

struct world {  // one operator
    struct operator_sample logged[MOST];
    struct ops_sample samples[MOST];
    struct ops_time times[MOST][BACKENDS];
    double repeats[MOST][BACKENDS][3];
    struct logged_operator name;
    struct ops_operator of;
    struct ops ops;
};

static void world_init(struct world *world)
{
    *world = (struct world){.name = {.name = (char[]){"aten.add.Tensor"}}};
    world->of = (struct ops_operator){.logged = &world->name, .samples = world->samples};
    world->ops = (struct ops){.operators = &world->of, .operator_count = 1};
    world->ops.backends.count = BACKENDS;
}

// A sample with these times; 0: not supported.
static struct ops_sample *add(struct world *world, uint64_t calls, const double times[BACKENDS])
{
    size_t i = world->of.sample_count++;
    world->logged[i].count = calls;
    world->samples[i] = (struct ops_sample){
        .logged = &world->logged[i], .times = world->times[i], .finished = true};
    for (size_t b = 0; b < BACKENDS; b++) {
        struct ops_time *time = &world->times[i][b];
        *time = (struct ops_time){.state = times[b] > 0 ? OPS_MEASURED : OPS_UNSUPPORTED,
                                  .median = times[b],
                                  .times = world->repeats[i][b],
                                  .count = 3,
                                  .error = NAN};
        for (int k = 0; k < 3; k++)
            world->repeats[i][b][k] = times[b] * (1 + 0.01 * (k - 1));
    }
    return &world->samples[i];
}

static void quantiles_over_samples_are_those_of_numpy(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    for (int i = 1; i <= 4; i++)
        add(&world, 1, (double[]){i, 1, 2});
    struct speedup speedup = speedup_of(&world.of, 0, 1);
    assert_int_equal(speedup.samples, 4);
    assert_float_equal(speedup.low, 1.6, 1e-12);  // numpy.quantile([1, 2, 3, 4], .2)
    assert_float_equal(speedup.mid, 2.5, 1e-12);
    assert_float_equal(speedup.high, 3.4, 1e-12);
    assert_float_equal(speedup_of(&world.of, 1, 2).mid, 0.5, 1e-12);
}

static void calls_of_the_log_are_weights(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    add(&world, 99, (double[]){2, 1, 1});
    add(&world, 1, (double[]){1, 2, 1});
    struct speedup speedup = speedup_of(&world.of, 0, 1);
    assert_float_equal(speedup.mid, 1.25, 1e-12);
    assert_float_equal(speedup.weighted, 199.0 / 101, 1e-12);
}

static void wrong_and_unsupported_samples_do_not_count(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    add(&world, 1, (double[]){2, 1, 0});
    struct ops_sample *wrong = add(&world, 1, (double[]){100, 1, 0});
    wrong->times[1].state = OPS_WRONG;
    wrong->times[1].error = 0.5;
    struct speedup speedup = speedup_of(&world.of, 0, 1);
    assert_int_equal(speedup.samples, 1);
    assert_float_equal(speedup.mid, 2, 1e-12);
    assert_int_equal(speedup_of(&world.of, 0, 2).samples, 0);
    assert_true(isnan(speedup_of(&world.of, 0, 2).mid));
    struct sample_counts counts = speedup_counts(&world.of, 1);
    assert_int_equal(counts.measured, 1);
    assert_int_equal(counts.wrong, 1);
    assert_float_equal(counts.wrong_error, 0.5, 0);
    assert_int_equal(speedup_counts(&world.of, 2).unsupported, 2);
}

static void a_model_is_all_calls_and_the_rest_stays_with_the_baseline(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    add(&world, 10, (double[]){3, 1, 1});
    add(&world, 70, (double[]){1, 0, 1});
    struct model_speedup model = speedup_of_model(&world.ops, 1);
    assert_int_equal(model.samples, 1);
    assert_float_equal(model.speedup, 3, 1e-12);
    assert_float_equal(model.share, 0.3, 1e-12);
    assert_float_equal(model.whole, 100.0 / 80, 1e-12);
    assert_true(model.ci95.low < 3 && model.ci95.low > 2.8);
    assert_true(model.ci95.high > 3 && model.ci95.high < 3.2);
}

static void views_are_outside_the_means(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    add(&world, 10, (double[]){3, 1, 1});
    world.of.role = OPERATOR_VIEWS;
    assert_int_equal(speedup_of_model(&world.ops, 1).samples, 0);
    assert_true(isnan(speedup_of_model(&world.ops, 1).speedup));
}

static void a_single_repeat_has_no_interval(void **state)
{
    (void)state;
    struct world world;
    world_init(&world);
    struct ops_sample *sample = add(&world, 1, (double[]){2, 1, 1});
    sample->times[0].count = sample->times[1].count = 1;
    struct model_speedup model = speedup_of_model(&world.ops, 1);
    assert_float_equal(model.speedup, 2, 1e-12);
    assert_true(isnan(model.ci95.low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_over_samples_are_those_of_numpy),
        cmocka_unit_test(calls_of_the_log_are_weights),
        cmocka_unit_test(wrong_and_unsupported_samples_do_not_count),
        cmocka_unit_test(a_model_is_all_calls_and_the_rest_stays_with_the_baseline),
        cmocka_unit_test(views_are_outside_the_means),
        cmocka_unit_test(a_single_repeat_has_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

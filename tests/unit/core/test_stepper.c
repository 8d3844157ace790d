#include "core/timer/stepper.h"

#include "unit.h"

// A body whose calls take a given time.
struct body {
    double call_ns;
    double cold_ns;          // extra time of the very first call
    const double *patterns;  // factors for batches, repeated
    size_t pattern_count;
    uint64_t calls, batches, last, largest;
    double steepest;  // largest ratio of a batch to the one before
};

static double take(struct body *body, uint64_t n)
{
    double ns = body->call_ns * (double)n + (body->calls ? 0 : body->cold_ns);
    if (body->pattern_count)
        ns *= body->patterns[body->batches % body->pattern_count];
    body->calls += n;
    body->batches++;
    body->largest = n > body->largest ? n : body->largest;
    if (body->last && (double)n / (double)body->last > body->steepest)
        body->steepest = (double)n / (double)body->last;
    body->last = n;
    return ns;
}

static struct stepper drive(const struct stepper_options *options, struct body *body)
{
    enum { FOR_EVER = 2000000 };
    struct stepper stepper;
    stepper_init(&stepper, options);
    struct batch batch = {.n = stepper_next(&stepper, NULL)};
    while (batch.n) {
        batch.ns = take(body, batch.n);
        batch.cpu_ns = batch.ns / 2;
        batch.disturbed = body->batches % 3 == 0;
        batch.n = stepper_next(&stepper, &batch);
        if (body->batches == FOR_EVER)
            fail_msg("it never ends");
    }
    return stepper;
}

#define DRIVE(body, ...) drive(&(struct stepper_options){__VA_ARGS__}, (body))

static void the_smallest_number_that_reaches_the_target_is_found(void **state)
{
    (void)state;
    static const double costs[] = {0.3, 1, 7, 99.9, 100, 333, 9000, 24999, 25001, 45000, 49999};
    for (size_t i = 0; i < LENGTH(costs); i++) {
        struct body body = {.call_ns = costs[i]};
        AUTO(stepper) struct stepper stepper =
            DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
        assert_true((double)stepper.n * costs[i] >= 50000 * (1 - 1e-6));
        assert_true((double)(stepper.n - 1) * costs[i] < 50000);
        assert_int_equal(stepper.count, 1);
        assert_near(stepper.times_ns[0], (double)stepper.n * costs[i], 1e-6);
    }
}

static void a_call_longer_than_the_target_is_a_batch(void **state)
{
    (void)state;
    struct body body = {.call_ns = 60000};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
    assert_int_equal(stepper.n, 1);
    assert_int_equal(body.largest, 1);
}

static void a_cold_first_call_does_not_set_the_number(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100, .cold_ns = 1e6};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
    assert_int_equal(stepper.n, 500);
}

static void a_very_slow_call_is_not_repeated_to_calibrate(void **state)
{
    (void)state;
    struct body body = {.call_ns = 2e8};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
    assert_int_equal(body.calls, 2);  // one to calibrate, one that is kept
    assert_int_equal(stepper.n, 1);
}

static void a_body_that_takes_no_time_gets_the_largest_number(void **state)
{
    (void)state;
    static const double costs[] = {0, 1e-9};
    for (size_t i = 0; i < LENGTH(costs); i++) {
        struct body body = {.call_ns = costs[i]};
        AUTO(stepper) struct stepper stepper =
            DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
        assert_int_equal(stepper.n, 1u << 31);
        assert_int_equal(body.largest, 1u << 31);
        assert_true(body.batches < 20);
    }
}

static void the_search_grows_tenfold_at_most(void **state)
{
    (void)state;
    struct body body = {.call_ns = 0.3};  // far too short for one reading of the clock
    struct stepper stepper = DRIVE(&body, .method = &method_calibrate, .target_ns = 50000);
    stepper_done(&stepper);
    assert_near(body.steepest, 10, 0);
}

static void a_target_of_zero_is_one_call(void **state)
{
    (void)state;
    struct body body = {.call_ns = 0};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_calibrate);
    assert_int_equal(stepper.n, 1);
}

static void warm_up_is_not_kept(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_timeit, .number = 10, .warmup_ns = 2500, .max_blocks = 2);
    assert_int_equal(body.batches, 3 + 2);
    assert_int_equal(stepper.count, 2);
}

static void calibration_does_not_count_as_warm_up(void **state)
{
    (void)state;
    uint64_t batches[2];
    for (int warm = 0; warm < 2; warm++) {
        struct body body = {.call_ns = 100};
        struct stepper stepper =
            DRIVE(&body, .method = &method_calibrate, .target_ns = 50000, .warmup_ns = warm);
        stepper_done(&stepper);
        batches[warm] = body.batches;
    }
    assert_int_equal(batches[1], batches[0] + 1);
}

static void timeit_takes_the_requested_number_of_blocks(void **state)
{
    (void)state;
    struct body body = {.call_ns = 1};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_timeit, .number = 7, .max_blocks = 3);
    assert_int_equal(stepper.count, 3);
    assert_int_equal(body.calls, 21);
    assert_near(stepper.times_ns[2], 7, 0);
    assert_near(stepper.cpu_ns[2], 3.5, 0);
    assert_int_equal(stepper.disturbed, 1);
}

static void blocked_continues_until_the_time_is_up(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_blocked, .number = 3, .min_ns = 1000, .max_ns = 1);
    assert_int_equal(stepper.count, 4);  // 300, 600, 900, 1200
    assert_int_equal(stepper.n, 3);
}

static void adaptive_takes_more_than_three_blocks(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 100, .max_ns = 1e9, .threshold = 0.1);
    assert_int_equal(stepper.count, 4);
    struct body longer = {.call_ns = 100};
    AUTO(stepper) struct stepper patient = DRIVE(&longer, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 2000, .max_ns = 1e9, .threshold = 0.1);
    assert_true(patient.count >= 20 && patient.count <= 22);
}

static void adaptive_continues_while_blocks_disagree(void **state)
{
    (void)state;
    static const double unsteady[] = {1, 1.5};
    struct body body = {.call_ns = 100, .patterns = unsteady, .pattern_count = 2};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 100, .max_ns = 50000, .threshold = 0.1);
    assert_int_equal(stepper.count, 400);  // 125 on average
    struct body same = {.call_ns = 100, .patterns = unsteady, .pattern_count = 2};
    AUTO(stepper) struct stepper content = DRIVE(&same, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 100, .max_ns = 50000, .threshold = 0.5);
    assert_int_equal(content.count, 4);  // 50 of 125
    struct body edge = {.call_ns = 100, .patterns = unsteady, .pattern_count = 2};
    AUTO(stepper) struct stepper strict = DRIVE(&edge, .method = &method_adaptive, .number = 1,
                                                .min_ns = 100, .max_ns = 600, .threshold = 0.4);
    assert_int_equal(strict.count, 5);  // below it, not at it
}

static void adaptive_stops_when_blocks_begin_to_agree(void **state)
{
    (void)state;
    double settling[1000];
    for (size_t i = 0; i < LENGTH(settling); i++)
        settling[i] = i < 30 ? 1 + (double)(i % 2) : 1;
    struct body body = {.call_ns = 100, .patterns = settling, .pattern_count = LENGTH(settling)};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 100, .max_ns = 1e9, .threshold = 0.1);
    assert_true(stepper.count > 60 && stepper.count < 70);  // less than a quarter of them slow
}

static void adaptive_stops_at_its_limit_even_with_one_block(void **state)
{
    (void)state;
    struct body body = {.call_ns = 1e10};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_adaptive, .number = 1,
                                                 .min_ns = 1e7, .max_ns = 1e10, .threshold = 0.1);
    assert_int_equal(stepper.count, 1);
}

static void an_epoch_ends_by_time_but_not_before_its_minimum_of_batches(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_epoch, .number = 10, .max_ns = 5000, .min_blocks = 1);
    assert_int_equal(stepper.count, 7);  // five, and two that were disturbed
    assert_int_equal(stepper.disturbed, 2);
    assert_near(stepper.cpu_ns[6], 500, 0);
    struct body slow = {.call_ns = 1e6};
    AUTO(stepper) struct stepper few =
        DRIVE(&slow, .method = &method_epoch, .number = 1, .max_ns = 5000, .min_blocks = 3);
    assert_int_equal(few.count, 3);
}

static void a_disturbed_batch_does_not_use_up_an_epoch(void **state)
{
    (void)state;
    // drive() disturbs every third batch; these use up all the time.
    static const double pattern[] = {1, 1, 1000};
    struct body body = {.call_ns = 100, .patterns = pattern, .pattern_count = 3};
    struct stepper_options plan = {
        .method = &method_epoch, .number = 1, .max_ns = 1000, .min_blocks = 1};
    AUTO(stepper) struct stepper stepper = drive(&plan, &body);
    assert_int_equal(stepper.count, 14);  // ten of them count
    assert_int_equal(stepper.disturbed, 4);
}

static void an_epoch_ends_even_if_most_batches_are_disturbed(void **state)
{
    (void)state;
    struct stepper_options plan = {
        .method = &method_epoch, .number = 1, .max_ns = 1000, .min_blocks = 1};
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &plan);
    struct batch batch = {.n = 1, .ns = 100, .disturbed = true};
    stepper_next(&stepper, NULL);
    while (stepper_next(&stepper, &batch))
        assert_true(stepper.count < 20);
    assert_int_equal(stepper.count, 11);
}

static void an_epoch_ends_at_its_maximum_of_batches(void **state)
{
    (void)state;
    struct body body = {.call_ns = 1};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_epoch, .number = 1,
                                                 .max_ns = 1e9, .min_blocks = 1, .max_blocks = 2);
    assert_int_equal(stepper.count, 2);
}

// Returns the number of batches of .1 ms if this share of the time is beside a neighbour, until
// the core is free.
static uint64_t batches_beside_a_neighbour(double longest_ns, double shared, double free_from_ns)
{
    struct stepper_options plan = {.method = &method_epoch,
                                   .number = 1,
                                   .max_ns = 4e6,
                                   .longest_ns = longest_ns,
                                   .min_blocks = 1,
                                   .floor = .01};
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper, &plan);
    struct batch batch = {.n = 1, .ns = 1e5};
    stepper_next(&stepper, NULL);
    while (stepper_next(&stepper, &batch)) {
        assert_true(stepper.count < 1000);
        if (stepper.spent_ns <= free_from_ns)
            stepper.shared_ns = stepper.spent_ns * shared;
    }
    return stepper.count;
}

static void an_epoch_goes_on_until_it_had_the_core_for_a_millisecond(void **state)
{
    (void)state;
    assert_int_equal(batches_beside_a_neighbour(10e6, 0, 1e9), 40);
    assert_int_equal(batches_beside_a_neighbour(10e6, .5, 1e9), 40);  // two of four
    assert_int_equal(batches_beside_a_neighbour(10e6, 1, 6e6), 70);
    assert_int_equal(batches_beside_a_neighbour(10e6, 1, 1e9), 100);
    assert_int_equal(batches_beside_a_neighbour(0, 1, 1e9), 40);
}

static void latency_times_single_calls(void **state)
{
    (void)state;
    struct body body = {.call_ns = 100};
    AUTO(stepper) struct stepper stepper =
        DRIVE(&body, .method = &method_latency, .number = 50, .max_ns = 1000, .min_blocks = 1);
    assert_int_equal(stepper.count, 10);
    assert_int_equal(body.largest, 1);
}

static void latency_keeps_at_most_a_million_samples(void **state)
{
    (void)state;
    struct body body = {.call_ns = 1};
    AUTO(stepper) struct stepper stepper = DRIVE(&body, .method = &method_latency, .max_ns = 1e9);
    assert_int_equal(stepper.count, 1 << 20);
}

static void methods_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(method_find("adaptive"), &method_adaptive);
    assert_null(method_find("rigorous"));  // uses many processes; not a stepper method
    assert_null(method_find(""));
}

static void a_method_is_chosen_by_its_name(void **state)
{
    (void)state;
    static const char *const names[] = {"timeit", "blocked", "adaptive", "latency"};
    static const struct method *const methods[] = {&method_timeit, &method_blocked,
                                                   &method_adaptive, &method_latency};
    const struct method *method = &method_timeit;
    assert_ok(method_choose(NULL, &method));
    assert_null(method);  // rigorous, which takes several processes
    method = &method_timeit;
    assert_ok(method_choose("rigorous", &method));
    assert_null(method);
    for (size_t i = 0; i < LENGTH(names); i++) {
        assert_ok(method_choose(names[i], &method));
        assert_ptr_equal(method, methods[i]);
    }
    static const char *const unknown[] = {"", "magic", "epoch", "calibrate"};  // some are internal
    for (size_t i = 0; i < LENGTH(unknown); i++)
        assert_error(method_choose(unknown[i], &method), BILANX_E_USAGE, "unknown method");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_number_that_reaches_the_target_is_found),
        cmocka_unit_test(a_call_longer_than_the_target_is_a_batch),
        cmocka_unit_test(a_cold_first_call_does_not_set_the_number),
        cmocka_unit_test(a_very_slow_call_is_not_repeated_to_calibrate),
        cmocka_unit_test(a_body_that_takes_no_time_gets_the_largest_number),
        cmocka_unit_test(the_search_grows_tenfold_at_most),
        cmocka_unit_test(a_target_of_zero_is_one_call),
        cmocka_unit_test(warm_up_is_not_kept),
        cmocka_unit_test(calibration_does_not_count_as_warm_up),
        cmocka_unit_test(timeit_takes_the_requested_number_of_blocks),
        cmocka_unit_test(blocked_continues_until_the_time_is_up),
        cmocka_unit_test(adaptive_takes_more_than_three_blocks),
        cmocka_unit_test(adaptive_continues_while_blocks_disagree),
        cmocka_unit_test(adaptive_stops_when_blocks_begin_to_agree),
        cmocka_unit_test(adaptive_stops_at_its_limit_even_with_one_block),
        cmocka_unit_test(an_epoch_ends_by_time_but_not_before_its_minimum_of_batches),
        cmocka_unit_test(a_disturbed_batch_does_not_use_up_an_epoch),
        cmocka_unit_test(an_epoch_ends_even_if_most_batches_are_disturbed),
        cmocka_unit_test(an_epoch_ends_at_its_maximum_of_batches),
        cmocka_unit_test(an_epoch_goes_on_until_it_had_the_core_for_a_millisecond),
        cmocka_unit_test(latency_times_single_calls),
        cmocka_unit_test(latency_keeps_at_most_a_million_samples),
        cmocka_unit_test(methods_are_found_by_name),
        cmocka_unit_test(a_method_is_chosen_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

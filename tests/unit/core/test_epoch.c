#include "core/timer/epoch.h"

#include "unit.h"

static const struct pace FREE = {66, .66}, SHARED = {64, .96};
static const double FLOOR = .01;

// The readings of the pace in order: F, S or, for none, a blank; the last one repeats. With short
// intervals between readings, the one at i is before batch i.
static const char *script;
static size_t readings;

static struct pace read_script(const struct clock *clock)
{
    (void)clock;
    char letter = script[readings < strlen(script) ? readings : strlen(script) - 1];
    readings++;
    return letter == 'F' ? FREE : letter == 'S' ? SHARED : (struct pace){0};
}

// The batches of a body, repeated; if their times differ, the second is disturbed.
struct body {
    const double *ns;
    size_t count;
    double cpu_ns;  // of each batch
    bool manual;
};

static void drive(const struct stepper_options *options, const struct body *body,
                  struct clock_fake *fake, struct clock *clock, struct stepper *stepper,
                  struct epoch_watch *watch)
{
    *fake = (struct clock_fake){.now_ns = 1000};
    clock_open_fake(clock, fake);
    stepper_init(stepper, options);
    epoch_begin(watch, clock, false);
    watch->read_pace = read_script;
    readings = 0;
    struct batch batch = {.n = epoch_next(watch, clock, stepper, NULL)};
    for (size_t i = 0; batch.n; i++) {
        batch.ns = body->ns[i % body->count];
        batch.cpu_ns = body->cpu_ns;
        batch.disturbed = i == 1 && body->count > 1;
        batch.manual = body->manual;
        fake->now_ns += (uint64_t)batch.ns;
        batch.n = epoch_next(watch, clock, stepper, &batch);
    }
}

static struct epoch_report run(const struct stepper_options *options, const struct body *body)
{
    struct clock_fake fake;
    struct clock clock;
    AUTO(stepper) struct stepper stepper;
    struct epoch_watch watch = {0};
    struct epoch_report out;
    drive(options, body, &fake, &clock, &stepper, &watch);
    epoch_end(&watch, &clock, &stepper, &out);
    assert_null(watch.log.readings);
    return out;
}

// An epoch of as many batches as there are times. Unless told otherwise, the pace is read around
// each of them.
static struct epoch_report run_all(const struct body *body, struct stepper_options options)
{
    options.method = &method_epoch;
    options.number = options.number ? options.number : 1;
    options.max_blocks = body->count;
    options.max_ns = 1e18;
    options.pace_every_ns = options.pace_every_ns > 0 ? options.pace_every_ns : 1;
    return run(&options, body);
}
#define RUN(body, ...) run_all(&(body), (struct stepper_options){__VA_ARGS__})
#define BODY(...) \
    {.ns = (const double[]){__VA_ARGS__}, .count = LENGTH(((const double[]){__VA_ARGS__}))}

static void batches_are_summarized_per_call(void **state)
{
    (void)state;
    const struct body body = BODY(200, 100, 400, 300, 500);
    script = "F";
    struct epoch_report out = RUN(body, .number = 10);
    const struct bilanx_epoch *epoch = &out.free.epoch;
    assert_int_equal(out.number, 10);
    assert_int_equal(epoch->batches, 5);
    assert_int_equal(epoch->off_pace, 0);
    assert_int_equal(epoch->disturbed, 1);
    assert_near(epoch->min, 10e-9, 1e-20);
    assert_near(epoch->p25, 20e-9, 1e-20);
    assert_near(epoch->p75, 40e-9, 1e-20);
    assert_near(epoch->p99, 49.6e-9, 1e-20);
    assert_true(epoch->time > 20e-9 && epoch->time < 40e-9);
}

static void equal_batches_are_their_own_midmean(void **state)
{
    (void)state;
    const struct body body = BODY(700, 700, 700, 700);
    script = "F";
    struct epoch_report out = RUN(body, .number = 7);
    assert_near(out.free.epoch.time, 100e-9, 1e-20);
    assert_near(out.spent_ns, 2800 - 700, 1e-6);  // without the disturbed one
    assert_true(out.empty_loop_ns >= 0);
}

static void times_set_by_the_body_are_not_adjusted_by_clock_or_pace(void **state)
{
    (void)state;
    struct clock clock;
    clock_open(&clock);  // the real one: if it counts cycles, it calibrates while running
    AUTO(stepper) struct stepper stepper;
    stepper_init(&stepper,
                 &(struct stepper_options){
                     .method = &method_epoch, .number = 1, .max_ns = 4e6, .pace_every_ns = 1});
    stepper.options.floor = pace_ratio(FREE);
    stepper.options.longest_ns = 1e9;  // for time with the core to itself, which these do not need
    script = "SSSSSSSS";
    readings = 0;
    struct epoch_watch watch = {0};
    epoch_begin(&watch, &clock, false);
    watch.read_pace = read_script;
    epoch_next(&watch, &clock, &stepper, NULL);
    for (int i = 0; i < 8; i++)
        epoch_next(&watch, &clock, &stepper, &(struct batch){.n = 1, .ns = 5e5, .manual = true});
    assert_int_equal(stepper.stage, STEPPER_DONE);
    struct epoch_report out;
    epoch_end(&watch, &clock, &stepper, &out);
    assert_false(out.has_states);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 8);
    assert_near(out.other.epoch.min, 5e-4, 1e-17);
}

static void cpu_time_is_that_of_the_middle_batch(void **state)
{
    (void)state;
    // The last one waited for the CPU. Large times, so that the cost of reading is negligible.
    struct body body = BODY(4e5, 4e5, 4e5, 4e5, 8e5);
    body.cpu_ns = 2e5;
    script = "F";
    struct epoch_report out = RUN(body, 0);
    assert_near(out.free.cpu_ns, 2e5, .05e5);
    body.cpu_ns = 0;
    out = RUN(body, 0);
    assert_near(out.free.cpu_ns, 0, 0);  // not less
}

static void batches_are_divided_by_the_state_of_the_core(void **state)
{
    (void)state;
    // The sixth and the twelfth batch are between readings that differ.
    const struct body body = BODY(500, 500, 500, 500, 500, 600, 700, 700, 700, 700, 700, 600, 500);
    script = "FFFFFFSSSSSSFF";
    struct epoch_report out = RUN(body, 0);
    assert_true(out.has_states);
    assert_int_equal(out.free.epoch.batches, 6);
    assert_int_equal(out.free.epoch.off_pace, 7);
    assert_near(out.free.epoch.time, 500e-9, 1e-18);
    assert_near(out.free.epoch.p99, 500e-9, 1e-18);
    assert_int_equal(out.other.epoch.batches, 5);
    assert_near(out.other.epoch.min, 700e-9, 1e-18);
    assert_near(out.other.epoch.time, 700e-9, 1e-18);
    assert_int_equal(readings, 14);
}

static void each_part_has_the_pace_of_its_own_batches(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 500, 500, 500, 500, 500);
    script = "FFFFFSSSSS";
    struct epoch_report out = RUN(body, 0);
    assert_near(out.free.epoch.reference, FREE.chain_ns / 1e9, 1e-20);
    assert_near(out.other.epoch.reference, SHARED.chain_ns / 1e9, 1e-20);
    assert_near(out.core.free, .5, 1e-15);
    assert_near(out.core.chain_ns, FREE.chain_ns, 1e-12);
    assert_near(out.core.lowest, FLOOR, 1e-15);
    assert_int_equal(out.core.readings, 10);
}

static void fewer_than_four_batches_make_no_part(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 600, 700, 700, 700, 700);
    script = "FFFFSSSSS";
    struct epoch_report out = RUN(body, .floor = FLOOR);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 4);
    assert_near(out.core.free, 4 / 9., 1e-15);
}

static void if_the_state_keeps_changing_all_batches_are_kept(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 500, 500);
    script = "FSFSFSF";
    struct epoch_report out = RUN(body, 0);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 6);
    assert_near(out.other.epoch.reference, 65e-9, 1e-20);
}

// Without it, a neighbour that never rests looks like a slower core.
static void a_known_floor_shows_that_the_core_was_never_free(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 500);
    script = "S";
    struct epoch_report out = RUN(body, .floor = FLOOR);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 5);
    assert_near(out.core.free, 0, 0);
    assert_near(out.core.lowest, .015, 1e-15);
    out = RUN(body, 0);
    assert_int_equal(out.free.epoch.batches, 5);
    assert_near(out.core.free, 1, 0);
}

static void a_floor_that_is_too_high_is_corrected_by_the_readings(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 500, 500, 500, 500, 500);
    script = "SSSSSFFFFF";
    struct epoch_report out = RUN(body, .floor = .015);
    assert_int_equal(out.free.epoch.batches, 4);
    assert_near(out.free.epoch.reference, FREE.chain_ns / 1e9, 1e-20);
    assert_near(out.core.lowest, FLOOR, 1e-15);
}

static void any_core_keeps_all_batches_but_still_tells(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 700, 700, 700, 700, 700);
    script = "FFFFFSSSSS";
    struct epoch_report out = RUN(body, .any_core = true);
    assert_false(out.has_states);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 9);
    assert_near(out.core.free, .5, 1e-15);
}

// Readings around a long batch say little about the time between them.
static void long_batches_are_not_divided(void **state)
{
    (void)state;
    const struct body longer = BODY(8e5, 8e5, 8e5, 8e5, 8e5),
                      shorter = BODY(4e5, 4e5, 4e5, 4e5, 4e5);
    script = "F";
    struct epoch_report out = RUN(longer, .floor = FLOOR);
    assert_false(out.has_states);
    assert_int_equal(out.free.epoch.batches, 0);
    assert_int_equal(out.other.epoch.batches, 5);
    assert_near(out.other.epoch.reference, FREE.chain_ns / 1e9, 1e-20);
    assert_near(out.core.free, 1, 0);
    out = RUN(shorter, .floor = FLOOR);
    assert_true(out.has_states);
    assert_int_equal(out.free.epoch.batches, 5);
}

static void the_pace_is_read_no_more_often_than_asked(void **state)
{
    (void)state;
    const struct body body = BODY(500, 500, 500, 500, 500, 500, 500, 500);
    script = "F";
    RUN(body, .pace_every_ns = 1000);
    assert_int_equal(readings, 1 + 3 + 1);  // the last one at the end
    struct epoch_report out = run(
        &(struct stepper_options){
            .method = &method_epoch, .number = 1, .max_blocks = body.count, .max_ns = 1e18},
        &body);
    assert_int_equal(readings, 0);
    assert_false(out.has_states);
    assert_int_equal(out.core.readings, 0);
    assert_int_equal(out.other.epoch.batches, 8);
    assert_near(out.other.epoch.reference, 0, 0);
}

// A millisecond with the core to itself is enough.
static void an_epoch_beside_a_neighbour_goes_on_for_the_core(void **state)
{
    (void)state;
    static const double ns = 1e5;
    static const struct body body = {.ns = &ns, .count = 1};
    struct stepper_options plan = {.method = &method_epoch,
                                   .number = 1,
                                   .max_ns = 2e6,
                                   .longest_ns = 10e6,
                                   .pace_every_ns = 1,
                                   .floor = FLOOR};
    script = "F";
    assert_near(run(&plan, &body).spent_ns, 2e6, 0);
    script = "S";
    assert_near(run(&plan, &body).spent_ns, 10e6, 0);
    script = "SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSF";  // for 3 ms
    struct epoch_report out = run(&plan, &body);
    assert_near(out.spent_ns, 3e6 + 1e6, 1e5);
    assert_true(out.free.epoch.batches >= 9);
    plan.longest_ns = 0;
    assert_near(run(&plan, &body).spent_ns, 2e6, 0);
    plan.longest_ns = 10e6;
    plan.floor = 0;  // then nothing is known while it runs
    assert_near(run(&plan, &body).spent_ns, 2e6, 0);
}

// Calls beside a neighbour take longer.
static struct pace_summary settle(const struct method *method, unsigned calls, const char *states,
                                  struct stepper *stepper)
{
    enum { PER_READING = 100 };
    static double ns[4000];
    struct clock_fake fake;
    struct clock clock;
    struct epoch_watch watch = {0};
    struct pace_summary core;
    for (unsigned i = 0; i < calls; i++) {
        unsigned reading = i / PER_READING;
        ns[i] = states[reading] == 'F' && states[reading + 1] == 'F' ? 100 : 200;
    }
    script = states;
    drive(&(struct stepper_options){.method = method,
                                    .number = 1,
                                    .max_blocks = calls,
                                    .max_ns = 1e18,
                                    .pace_every_ns = PER_READING * 100},
          &(struct body){.ns = ns, .count = calls}, &fake, &clock, stepper, &watch);
    epoch_settle(&watch, &clock, stepper, &core);
    assert_null(watch.log.readings);
    return core;
}

static void latencies_are_those_of_calls_with_the_core_to_themselves(void **state)
{
    (void)state;
    AUTO(stepper) struct stepper stepper;
    struct pace_summary core = settle(&method_latency, 1600, "FFFFFFFFFFFFFSSSSSSSSS", &stepper);
    assert_true(stepper.chosen);
    assert_in_range(stepper.count, 1000, 1300);
    for (size_t i = 0; i < stepper.count; i++)
        assert_near(stepper.times_ns[i], 100, 0);
    assert_true(core.readings > 13 && core.free > .5 && core.free < 1);
}

static void too_few_free_calls_leave_all_latencies(void **state)
{
    (void)state;
    AUTO(stepper) struct stepper stepper;
    struct pace_summary core = settle(&method_latency, 1600, "FFFFFFFFSSSSSSSSSSSSSS", &stepper);
    assert_false(stepper.chosen);
    assert_int_equal(stepper.count, 1600);
    assert_true(core.free > .2 && core.free < .8);
}

static void blocks_are_never_chosen_by_state(void **state)
{
    (void)state;
    AUTO(stepper) struct stepper stepper;
    struct pace_summary core = settle(&method_timeit, 1600, "FFFFFFFFFFFFFSSSSSSSSS", &stepper);
    assert_false(stepper.chosen);
    assert_int_equal(stepper.count, 1600);
    assert_true(core.free > .5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_summarized_per_call),
        cmocka_unit_test(equal_batches_are_their_own_midmean),
        cmocka_unit_test(times_set_by_the_body_are_not_adjusted_by_clock_or_pace),
        cmocka_unit_test(cpu_time_is_that_of_the_middle_batch),
        cmocka_unit_test(batches_are_divided_by_the_state_of_the_core),
        cmocka_unit_test(each_part_has_the_pace_of_its_own_batches),
        cmocka_unit_test(fewer_than_four_batches_make_no_part),
        cmocka_unit_test(if_the_state_keeps_changing_all_batches_are_kept),
        cmocka_unit_test(a_known_floor_shows_that_the_core_was_never_free),
        cmocka_unit_test(a_floor_that_is_too_high_is_corrected_by_the_readings),
        cmocka_unit_test(any_core_keeps_all_batches_but_still_tells),
        cmocka_unit_test(long_batches_are_not_divided),
        cmocka_unit_test(the_pace_is_read_no_more_often_than_asked),
        cmocka_unit_test(an_epoch_beside_a_neighbour_goes_on_for_the_core),
        cmocka_unit_test(latencies_are_those_of_calls_with_the_core_to_themselves),
        cmocka_unit_test(too_few_free_calls_leave_all_latencies),
        cmocka_unit_test(blocks_are_never_chosen_by_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

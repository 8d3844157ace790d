#include "core/timer/loop.h"

#include "unit.h"

// A loop with a fake clock that requests these batches and stores their times.
struct bench {
    struct clock_fake fake;
    struct clock clock;
    struct loop loop;
    const uint64_t *sizes;
    size_t asked;
    struct batch batches[8];
};

static uint64_t decide(void *context, const struct batch *last)
{
    struct bench *bench = context;
    if (last)
        bench->batches[bench->asked - 1] = *last;
    else
        assert_int_equal(bench->asked, 0);
    return bench->sizes[bench->asked++];
}

static void start(struct bench *bench, const uint64_t *sizes)
{
    *bench = (struct bench){.sizes = sizes};
    clock_open_fake(&bench->clock, &bench->fake);
    bench->loop = (struct loop){.clock = &bench->clock, .decide = decide, .context = bench};
}

static void work(struct bench *bench, uint64_t ns)
{
    bench->fake.now_ns += ns;
}

static void each_batch_is_timed_separately(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){3, 1, 0});
    for (uint64_t n; (n = loop_next(&bench.loop));)
        work(&bench, 10 * n);
    assert_int_equal(bench.asked, 3);
    assert_int_equal(bench.batches[0].n, 3);
    assert_near(bench.batches[0].ns, 30, 0);
    assert_int_equal(bench.batches[1].n, 1);
    assert_near(bench.batches[1].ns, 10, 0);
}

static void a_loop_without_batches_ends_at_once(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){0});
    assert_int_equal(loop_next(&bench.loop), 0);
    assert_false(bench.loop.timing);
}

static void pauses_are_not_timed(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){2, 0});
    for (uint64_t n; (n = loop_next(&bench.loop));)
        while (n--) {
            work(&bench, 10);
            loop_pause(&bench.loop);
            work(&bench, 1000);
            loop_resume(&bench.loop);
            work(&bench, 1);
        }
    assert_near(bench.batches[0].ns, 22, 0);
}

static void a_batch_may_end_while_paused(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){1, 1, 0});
    while (loop_next(&bench.loop)) {
        work(&bench, 10);
        loop_pause(&bench.loop);
        work(&bench, 1000);
    }
    assert_near(bench.batches[0].ns, 10, 0);
    assert_near(bench.batches[1].ns, 10, 0);
}

static void staged_work_is_not_timed(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){4, 2, 0});
    for (uint64_t n; (n = loop_stage(&bench.loop));) {
        assert_false(bench.loop.timing);
        work(&bench, 1000);
        loop_resume(&bench.loop);
        work(&bench, 5 * n);
        loop_pause(&bench.loop);
        work(&bench, 2000);
    }
    assert_near(bench.batches[0].ns, 20, 0);
    assert_near(bench.batches[1].ns, 10, 0);
}

static void staging_the_next_batch_ends_the_last(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){1, 0});
    while (loop_stage(&bench.loop)) {
        loop_resume(&bench.loop);
        work(&bench, 5);
    }
    assert_near(bench.batches[0].ns, 5, 0);
    assert_false(bench.loop.timing);
}

static void the_start_of_a_batch_is_known(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){1, 1, 0});
    work(&bench, 7);
    loop_next(&bench.loop);
    assert_int_equal(bench.loop.begun, 7);
    loop_pause(&bench.loop);
    work(&bench, 5);
    loop_resume(&bench.loop);
    assert_int_equal(bench.loop.begun, 7);  // not when it was resumed
    loop_next(&bench.loop);
    assert_int_equal(bench.loop.begun, 12);
}

// Runs batches of one call that take so long, in a loop that reads only what it must.
static void run_sparingly(struct bench *bench, const uint64_t *sizes, const uint64_t *times_ns)
{
    start(bench, sizes);
    bench->loop.method = &method_epoch;
    bench->loop.sparing = true;
    for (size_t i = 0; loop_next(&bench->loop); i++)
        work(bench, times_ns[i]);
}

static void few_short_batches_are_preceded_by_a_system_call(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 1, 1, 1, 1, 1, 1, 1, 0};
    static const uint64_t times_ns[] = {50, 50, 50, 50, 50, 50, 50, 50};
    struct bench bench;
    run_sparingly(&bench, sizes, times_ns);
    assert_true(bench.batches[0].cpu_ns >= 0);
    for (size_t i = 1; i < 8; i++)
        assert_true(bench.batches[i].cpu_ns < 0);
    start(&bench, sizes);
    bench.loop.method = &method_epoch;
    for (size_t i = 0; loop_next(&bench.loop); i++)
        work(&bench, times_ns[i]);
    for (size_t i = 0; i < 8; i++)
        assert_true(bench.batches[i].cpu_ns >= 0);
}

static void long_batches_are_watched_and_the_one_after_them_too(void **state)
{
    (void)state;
    struct bench bench;
    run_sparingly(&bench, (const uint64_t[]){1, 1, 1, 1, 0},
                  (const uint64_t[]){1000000, 1000000, 50, 50});
    for (size_t i = 0; i < 3; i++)  // the third follows a long one
        assert_true(bench.batches[i].cpu_ns >= 0);
    assert_true(bench.batches[3].cpu_ns < 0);
}

// Two threads on one CPU interrupt each other.
static void a_batch_that_took_long_is_found_disturbed(void **state)
{
    (void)state;
    struct bench bench;
    run_sparingly(&bench, (const uint64_t[]){1, 1, 1, 0}, (const uint64_t[]){50, 50, 50});
    assert_false(bench.batches[1].disturbed || bench.batches[2].disturbed);
    start(&bench, (const uint64_t[]){1, 1, 1, 0});
    bench.loop.method = &method_epoch;
    bench.loop.sparing = true;
    for (size_t i = 0; loop_next(&bench.loop); i++) {
        bench.loop.switches -= i > 0;  // as if there had been another one
        work(&bench, i == 2 ? 500 : 50);
    }
    assert_false(bench.batches[1].disturbed);
    assert_true(bench.batches[2].disturbed);
}

static void cost_of_starting(void *context)
{
    work(context, 1000);
}

static void functions_called_around_a_batch_are_not_timed(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){3, 1, 0});
    const struct loop_meter around = {cost_of_starting, cost_of_starting, &bench};
    bench.loop.around = &around;
    for (uint64_t n; (n = loop_next(&bench.loop));)
        work(&bench, 10 * n);
    assert_near(bench.batches[0].ns, 30, 0);
    assert_near(bench.batches[1].ns, 10, 0);
    assert_int_equal(bench.fake.now_ns, 4 * 1000 + 40);
}

static void the_body_may_set_its_own_times(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){3, 1, 0});
    for (uint64_t n; (n = loop_next(&bench.loop));)
        while (n--) {
            work(&bench, 10);
            bench.loop.manual = true;
            bench.loop.manual_ns += 500;
        }
    assert_near(bench.batches[0].ns, 1500, 0);
    assert_true(bench.batches[0].manual);
    assert_near(bench.batches[1].ns, 500, 0);
}

static void the_clock_is_read_twice_per_batch(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){1, 1, 0});
    bench.fake.step_ns = 100;
    while (loop_next(&bench.loop))
        work(&bench, 1);
    assert_near(bench.batches[0].ns, 101, 0);  // the batch after it, not the one before
    assert_int_equal(bench.fake.now_ns, 402);
}

static void cpu_time_is_read_only_if_the_method_needs_it(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, (const uint64_t[]){1, 0});
    bench.loop.method = &method_epoch;
    while (loop_next(&bench.loop))
        for (uint64_t before = clock_cpu_ns(); clock_cpu_ns() == before;)
            ;
    assert_true(bench.batches[0].cpu_ns > 0);
    start(&bench, (const uint64_t[]){1, 0});
    bench.loop.method = &method_latency;
    while (loop_next(&bench.loop))
        for (uint64_t before = clock_cpu_ns(); clock_cpu_ns() == before;)
            ;
    assert_near(bench.batches[0].cpu_ns, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_batch_is_timed_separately),
        cmocka_unit_test(a_loop_without_batches_ends_at_once),
        cmocka_unit_test(pauses_are_not_timed),
        cmocka_unit_test(a_batch_may_end_while_paused),
        cmocka_unit_test(staged_work_is_not_timed),
        cmocka_unit_test(staging_the_next_batch_ends_the_last),
        cmocka_unit_test(the_start_of_a_batch_is_known),
        cmocka_unit_test(few_short_batches_are_preceded_by_a_system_call),
        cmocka_unit_test(long_batches_are_watched_and_the_one_after_them_too),
        cmocka_unit_test(a_batch_that_took_long_is_found_disturbed),
        cmocka_unit_test(functions_called_around_a_batch_are_not_timed),
        cmocka_unit_test(the_body_may_set_its_own_times),
        cmocka_unit_test(the_clock_is_read_twice_per_batch),
        cmocka_unit_test(cpu_time_is_read_only_if_the_method_needs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "sources/suite_cases/passes.h"

#include "base/mem.h"
#include "core/record/records.h"
#include "unit.h"

enum { CASES = 6, MOST = 40 };

// What a stand-in for run_measure() does with each case, and what the observer is told.
struct scene {
    struct run_case items[CASES];
    const char *outcomes[CASES];  // codes of failures, one character per attempt: see failure_of()
    size_t attempts[CASES];
    size_t order[MOST], order_count;  // cases in the order of measuring
    size_t passes;
    struct bilanx_error error;  // of the last pass
    uint64_t reported[CASES];   // attempts of its record; 0: not reported
    bool failed[CASES], retried[CASES];
    size_t reports, worked;
    double ahead;
};

static struct scene scene_of(void)
{
    struct scene scene = {0};
    for (size_t i = 0; i < CASES; i++)
        scene.outcomes[i] = "";
    return scene;
}

static const char *failure_of(char letter)
{
    return letter == 'c'   ? "crashed"
           : letter == 't' ? "timed-out"
           : letter == 'x' ? "exited"
                           : NULL;
}

static struct bilanx_error measure(void *context, const struct run_cases *cases,
                                   const struct run_observer *observer)
{
    struct scene *scene = context;
    scene->passes++;
    for (size_t i = 0; i < cases->count; i++) {
        const struct run_case *measured = &cases->items[i];
        size_t place = passes_place(measured);
        size_t attempt = scene->attempts[place]++;
        assert_ptr_equal(measured->name, scene->items[place].name);
        scene->order[scene->order_count++] = place;
        const char *outcomes = scene->outcomes[place];
        const char *code = attempt < strlen(outcomes) ? failure_of(outcomes[attempt]) : NULL;
        struct bilanx_record record = {0};
        if (code) {
            record.error = mem_new(struct bilanx_failure);
            record.error->code = mem_text(code);
        }
        observer->working(observer->context, measured, 0.5 + (double)place);
        observer->finished(observer->context, measured, &record);
    }
    return scene->error;
}

static size_t place_of(const struct scene *scene, const struct run_case *item)
{
    assert_true(item >= scene->items && item < scene->items + CASES);
    return (size_t)(item - scene->items);
}

static void working(void *context, const struct run_case *measured, double ahead)
{
    struct scene *scene = context;
    scene->worked++;
    assert_true(ahead == 0.5 + (double)place_of(scene, measured));
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct scene *scene = context;
    size_t place = place_of(scene, measured);
    assert_int_equal(scene->reported[place], 0);
    scene->reported[place] = record->attempts;
    scene->failed[place] = record->error != NULL;
    for (size_t i = 0; i < record->warning_count; i++)
        scene->retried[place] |= strcmp(record->warnings[i].code, "retried") == 0;
    scene->reports++;
    bilanx_record_done(record);
}

static struct bilanx_error run(struct scene *scene, struct passes passes)
{
    static char names[CASES][2] = {"a", "b", "c", "d", "e", "f"};
    for (size_t i = 0; i < CASES; i++)
        scene->items[i] = (struct run_case){.name = names[i], .place = 99};
    passes.measure = measure;
    passes.context = scene;
    struct run_cases cases = {.items = scene->items, .count = CASES};
    return passes_run(&passes, &cases, &(struct run_observer){scene, working, finished});
}

static void every_case_is_reported_once_in_its_order(void **state)
{
    (void)state;
    struct scene scene = scene_of();
    assert_ok(run(&scene, (struct passes){0}));
    assert_int_equal(scene.passes, 1);
    assert_int_equal(scene.reports, CASES);
    assert_int_equal(scene.worked, CASES);
    for (size_t i = 0; i < CASES; i++) {
        assert_int_equal(scene.order[i], i);
        assert_int_equal(scene.reported[i], 1);
        assert_false(scene.failed[i] || scene.retried[i]);
    }
}

static void cases_that_failed_by_chance_are_tried_again(void **state)
{
    (void)state;
    struct scene scene = scene_of();
    scene.outcomes[1] = "c";    // succeeds on attempt 2
    scene.outcomes[2] = "tct";  // fails three times
    scene.outcomes[4] = "x";    // for a reason of its own
    scene.outcomes[5] = "tc";   // succeeds on attempt 3
    assert_ok(run(&scene, (struct passes){.retries = 2}));
    static const uint64_t attempts[CASES] = {1, 2, 3, 1, 1, 3};
    static const bool failed[CASES] = {[2] = true, [4] = true};
    static const bool retried[CASES] = {[1] = true, [5] = true};
    for (size_t i = 0; i < CASES; i++) {
        assert_int_equal(scene.reported[i], attempts[i]);
        assert_int_equal(scene.failed[i], failed[i]);
        assert_int_equal(scene.retried[i], retried[i]);
    }
    static const size_t order[] = {0, 1, 2, 3, 4, 5, 1, 2, 5, 2, 5};
    assert_int_equal(scene.passes, 3);
    assert_int_equal(scene.order_count, LENGTH(order));
    assert_memory_equal(scene.order, order, sizeof order);
}

static void without_retries_a_crash_is_final(void **state)
{
    (void)state;
    struct scene scene = scene_of();
    scene.outcomes[0] = "c";
    assert_ok(run(&scene, (struct passes){0}));
    assert_int_equal(scene.passes, 1);
    assert_int_equal(scene.reported[0], 1);
    assert_true(scene.failed[0]);
}

static void the_order_of_a_shuffle_depends_on_its_seed_alone(void **state)
{
    (void)state;
    struct scene first = scene_of(), again = scene_of(), other = scene_of();
    assert_ok(run(&first, (struct passes){.shuffled = true, .seed = 1}));
    assert_ok(run(&again, (struct passes){.shuffled = true, .seed = 1}));
    assert_ok(run(&other, (struct passes){.shuffled = true, .seed = 2}));
    assert_memory_equal(first.order, again.order, sizeof first.order);
    assert_memory_not_equal(first.order, other.order, sizeof first.order);
    assert_int_equal(first.reports, CASES);
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(first.reported[i], 1);
}

// Of 720 orders, twenty draws give the same one with a probability of 720 to the power of -19.
static void without_a_seed_the_order_is_random(void **state)
{
    (void)state;
    struct scene first = scene_of();
    assert_ok(run(&first, (struct passes){.shuffled = true}));
    for (int i = 0; i < 20; i++) {
        struct scene other = scene_of();
        assert_ok(run(&other, (struct passes){.shuffled = true}));
        if (memcmp(first.order, other.order, sizeof first.order) != 0)
            return;
    }
    fail_msg("the order is always the same");
}

static void an_error_ends_all_passes(void **state)
{
    (void)state;
    struct scene scene = scene_of();
    scene.outcomes[0] = "c";
    scene.error = bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
    assert_error(run(&scene, (struct passes){.retries = 1}), BILANX_E_INTERRUPTED, "interrupted");
    assert_int_equal(scene.passes, 1);
}

static void an_observer_need_not_know_about_work(void **state)
{
    (void)state;
    struct scene scene = scene_of();
    struct run_cases cases = {.items = scene.items, .count = CASES};
    assert_ok(passes_run(&(struct passes){.measure = measure, .context = &scene}, &cases,
                         &(struct run_observer){.context = &scene, .finished = finished}));
    assert_int_equal(scene.reports, CASES);
    struct run_cases none = {0};
    assert_ok(passes_run(&(struct passes){.measure = measure, .context = &scene}, &none,
                         &(struct run_observer){.context = &scene, .finished = finished}));
    assert_int_equal(scene.passes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_reported_once_in_its_order),
        cmocka_unit_test(cases_that_failed_by_chance_are_tried_again),
        cmocka_unit_test(without_retries_a_crash_is_final),
        cmocka_unit_test(the_order_of_a_shuffle_depends_on_its_seed_alone),
        cmocka_unit_test(without_a_seed_the_order_is_random),
        cmocka_unit_test(an_error_ends_all_passes),
        cmocka_unit_test(an_observer_need_not_know_about_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "core/worker/duel.h"

#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void begin(struct duel sides[2], const struct duel_plan *plan)
{
    for (unsigned role = 0; role < 2; role++)
        sides[role] = (struct duel){.plan = *plan, .role = role};
}

static void every_slot_has_one_owner_and_every_pair_has_both(void **state)
{
    (void)state;
    struct duel sides[2];
    struct duel_plan plan = {.seed = 42, .number = 9, .warm_pairs = 5, .pairs = 500};
    begin(sides, &plan);
    unsigned begun_by_first = 0;
    for (unsigned slot = 0; slot < 2 * 505; slot++)
        assert_int_not_equal(duel_is_mine(&sides[0], slot), duel_is_mine(&sides[1], slot));
    for (unsigned pair = 0; pair < 505; pair++) {
        assert_int_not_equal(duel_is_mine(&sides[0], 2 * pair),
                             duel_is_mine(&sides[0], 2 * pair + 1));
        begun_by_first += duel_is_mine(&sides[0], 2 * pair);
    }
    assert_true(begun_by_first > 200 && begun_by_first < 300);  // a fair coin
    assert_true(duel_is_mine(&sides[0], 1010) && duel_is_mine(&sides[1], 1010));
}

static void different_seeds_give_different_orders(void **state)
{
    (void)state;
    unsigned differ = 0;
    for (unsigned slot = 0; slot < 200; slot += 2) {
        struct duel one = {.plan = {.seed = 1, .pairs = 100}},
                    other = {.plan = {.seed = 2, .pairs = 100}};
        differ += duel_is_mine(&one, slot) != duel_is_mine(&other, slot);
    }
    assert_true(differ > 25 && differ < 75);
}

// A real duel: two processes that take turns by futex.
static void run_side(const char *path, unsigned role, const struct duel_plan *plan)
{
    struct duel_memory *memory;
    if (duel_memory_open(path, &memory).status != BILANX_OK)
        _exit(1);
    struct duel duel = {
        .memory = memory, .plan = *plan, .role = role, .hand_over = duel_hand_over_by_futex};
    struct batch last = {0};
    uint64_t n = duel_next(&duel, NULL);
    while (n) {
        bool timed = duel.stage == DUEL_TIMED;
        if (n != (timed ? plan->number : plan->number / 3))
            _exit(2);
        // The time encodes the side and the slot.
        last = (struct batch){.n = n, .ns = timed ? role * 10000 + duel.slot + 1 : 0};
        last.disturbed = timed && duel.slot == 2 * plan->warm_pairs;
        n = duel_next(&duel, &last);
    }
    _exit(duel.forsaken ? 3 : 0);
}

static int status_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void two_processes_take_turns(void **state)
{
    (void)state;
    struct duel_mapping mapping;
    struct duel_plan plan = {.seed = 7, .number = 30, .warm_pairs = 3, .pairs = 200};
    assert_ok(duel_mapping_init(&mapping));
    pid_t sides[2];
    for (unsigned role = 0; role < 2; role++)
        if ((sides[role] = fork()) == 0)
            run_side(mapping.path, role, &plan);
    assert_int_equal(status_of(sides[0]), 0);
    assert_int_equal(status_of(sides[1]), 0);
    assert_int_equal(atomic_load(&mapping.memory->turn), 2 * 203);
    unsigned disturbed = 0;
    for (unsigned pair = 0; pair < plan.pairs; pair++) {
        double first = mapping.memory->ns[0][pair], second = mapping.memory->ns[1][pair] - 10000;
        double slot = 2 * (pair + plan.warm_pairs) + 1;
        assert_true((first == slot && second == slot + 1) || (first == slot + 1 && second == slot));
        disturbed += mapping.memory->disturbed[0][pair] + mapping.memory->disturbed[1][pair];
    }
    assert_int_equal(disturbed, 1);
    duel_mapping_done(&mapping);
}

static void a_side_left_alone_gives_up_when_told(void **state)
{
    (void)state;
    struct duel_mapping mapping;
    struct duel_plan plan = {.seed = 7, .number = 1, .pairs = 5};
    assert_ok(duel_mapping_init(&mapping));
    pid_t side = fork();
    if (side == 0)
        run_side(mapping.path, 0, &plan);
    usleep(20000);
    atomic_store(&mapping.memory->over, true);
    assert_int_equal(status_of(side), 3);
    duel_mapping_done(&mapping);
}

static void missing_shared_memory_is_an_error(void **state)
{
    (void)state;
    struct duel_memory *memory;
    assert_error(duel_memory_open("/proc/1/nothing", &memory), BILANX_E_SYSTEM, "/proc/1/nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_has_one_owner_and_every_pair_has_both),
        cmocka_unit_test(different_seeds_give_different_orders),
        cmocka_unit_test(two_processes_take_turns),
        cmocka_unit_test(a_side_left_alone_gives_up_when_told),
        cmocka_unit_test(missing_shared_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

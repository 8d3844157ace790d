#include "core/worker/duel.h"

#include <sys/wait.h>
#include <unistd.h>

#include "core/timer/reference.h"
#include "unit.h"

static void begin(struct duel sides[2], struct duel_memory *memory, const struct duel_plan *plan)
{
    for (unsigned role = 0; role < 2; role++)
        sides[role] = (struct duel){.memory = memory, .plan = *plan, .role = role};
}

static void every_slot_has_one_owner_and_every_pair_has_both(void **state)
{
    (void)state;
    static struct duel_memory memory;
    struct duel sides[2];
    struct duel_plan plan = {.seed = 42, .number = 9, .warm_pairs = 5, .pairs = 500};
    begin(sides, &memory, &plan);
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
    static struct duel_memory memory;
    unsigned differ = 0;
    for (unsigned slot = 0; slot < 200; slot += 2) {
        struct duel one = {.memory = &memory, .plan = {.seed = 1, .pairs = 100}},
                    other = {.memory = &memory, .plan = {.seed = 2, .pairs = 100}};
        differ += duel_is_mine(&one, slot) != duel_is_mine(&other, slot);
    }
    assert_true(differ > 25 && differ < 75);
}

// A clock by which a reading of the pace says that the core is free from some pair on.
struct scripted_clock {
    const struct duel *duel;
    unsigned free_from, reads;
};
static const double FLOOR = .01;

static uint64_t read_scripted(void *context)
{
    struct scripted_clock *script = context;
    unsigned slot = script->duel->slot, warm = script->duel->plan.warm_pairs;
    bool is_free = slot / 2 >= warm + script->free_from;
    // A reading of the pace: the front end, the chain, and the cost of a read, which is nothing.
    uint64_t front_ns = REFERENCE_FRONT_ITERATIONS * (is_free ? 2u : 3u) / 4;
    uint64_t chain_ns = REFERENCE_CHAIN_CALLS * 50;
    const uint64_t ticks[] = {0, front_ns, front_ns + chain_ns, front_ns + chain_ns};
    return ticks[script->reads++ % 4];
}

static bool times_are_manual;

// A real duel: two processes that take turns by futex.
static void run_side(const char *path, unsigned role, const struct duel_plan *plan,
                     unsigned free_from)
{
    struct duel_memory *memory;
    if (duel_memory_open(path, &memory).status != BILANX_OK)
        _exit(1);
    struct duel duel = {
        .memory = memory, .plan = *plan, .role = role, .hand_over = duel_hand_over_by_futex};
    struct scripted_clock script = {.duel = &duel, .free_from = free_from};
    struct clock clock = {.read = read_scripted, .context = &script, .ns_per_tick = 1};
    duel.clock = plan->floor > 0 ? &clock : NULL;
    struct batch last = {0};
    uint64_t n = duel_next(&duel, NULL);
    while (n) {
        bool timed = duel.stage == DUEL_TIMED;
        if (n != (timed ? plan->number : plan->number / 3))
            _exit(2);
        // The time encodes the side and the slot.
        last = (struct batch){.n = n, .ns = timed ? role * 10000 + duel.slot + 1 : 0};
        last.disturbed = timed && duel.slot == 2 * plan->warm_pairs;
        last.manual = times_are_manual;
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

// Both sides come to an end by themselves.
static void run_duel(struct duel_mapping *mapping, const struct duel_plan *plan, unsigned free_from)
{
    assert_ok(duel_mapping_init(mapping));
    pid_t sides[2];
    for (unsigned role = 0; role < 2; role++)
        if ((sides[role] = fork()) == 0)
            run_side(mapping->path, role, plan, free_from);
    assert_int_equal(status_of(sides[0]), 0);
    assert_int_equal(status_of(sides[1]), 0);
}

static void two_processes_take_turns(void **state)
{
    (void)state;
    struct duel_mapping mapping;
    struct duel_plan plan = {.seed = 7, .number = 30, .warm_pairs = 3, .pairs = 200};
    run_duel(&mapping, &plan, 0);
    assert_int_equal(mapping.memory->pairs, 200);
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

// Checks how many pairs a duel of 20 has, and how many of them were free.
static void assert_pairs(struct duel_plan plan, unsigned free_from, unsigned pairs, unsigned free)
{
    for (unsigned seed = 1; seed <= 3; seed++) {
        struct duel_mapping mapping;
        plan.seed = seed;
        plan.warm_pairs = 2;
        run_duel(&mapping, &plan, free_from);
        const struct duel_memory *memory = mapping.memory;
        assert_int_equal(memory->pairs, pairs);
        assert_int_equal(memory->free_pairs, free);
        assert_int_equal(memory->turn, 2 * (2 + pairs));
        for (unsigned side = 0; side < 2; side++) {
            assert_true(memory->ns[side][pairs - 1] > 0);  // both took part in the last pair
            assert_true(pairs == DUEL_MOST_PAIRS || memory->ns[side][pairs] == 0);
        }
        duel_mapping_done(&mapping);
    }
}
#define PLAN(...)                                               \
    (struct duel_plan)                                          \
    {                                                           \
        .number = 1, .pairs = 20, .most_pairs = 60, __VA_ARGS__ \
    }

static void a_duel_goes_on_until_enough_pairs_were_free(void **state)
{
    (void)state;
    assert_pairs(PLAN(.floor = FLOOR), 0, 20, 20);
    assert_pairs(PLAN(.floor = FLOOR), 8, 20, 12);
    assert_pairs(PLAN(.floor = FLOOR), 9, 21, 12);
    assert_pairs(PLAN(.floor = FLOOR), 30, 42, 12);
}

static void a_duel_that_is_never_free_ends_at_its_limit(void **state)
{
    (void)state;
    assert_pairs(PLAN(.floor = FLOOR), 1000, 60, 0);
    assert_pairs(PLAN(.floor = FLOOR), 55, 60, 5);
}

static void times_that_the_body_reports_do_not_wait_for_the_core(void **state)
{
    (void)state;
    times_are_manual = true;
    assert_pairs(PLAN(.floor = FLOOR), 1000, 20, 20);
    times_are_manual = false;
}

static void without_a_floor_or_a_limit_a_duel_does_not_go_on(void **state)
{
    (void)state;
    assert_pairs(PLAN(.floor = 0), 0, 20, 0);
    assert_pairs((struct duel_plan){.number = 1, .pairs = 20, .floor = FLOOR}, 1000, 20, 0);
}

static void a_short_duel_needs_no_more_free_pairs_than_it_has(void **state)
{
    (void)state;
    assert_int_equal(duel_enough_free(&(struct duel_plan){.pairs = 3}), 3);
    assert_int_equal(duel_enough_free(&(struct duel_plan){.pairs = 300}), 12);
    assert_pairs((struct duel_plan){.number = 1, .pairs = 3, .most_pairs = 60, .floor = FLOOR}, 5,
                 8, 3);
}

#define FREE {50, .5}
#define SHARED {50, .75}
static void a_pair_has_a_state_only_if_both_halves_had_it(void **state)
{
    (void)state;
    static struct duel_memory memory;
    static const struct {
        struct pace first[2], second[2];
        enum core_state expected;
    } table[] = {
        {{FREE, FREE}, {FREE, FREE}, CORE_FREE},
        {{SHARED, SHARED}, {SHARED, SHARED}, CORE_SHARED},
        {{FREE, FREE}, {SHARED, SHARED}, CORE_UNKNOWN},
        {{FREE, FREE}, {FREE, SHARED}, CORE_UNKNOWN},
        {{FREE, FREE}, {{0, 0}, {0, 0}}, CORE_UNKNOWN},
    };
    for (unsigned i = 0; i < LENGTH(table); i++) {
        memcpy(memory.paces[0][i], table[i].first, sizeof table[i].first);
        memcpy(memory.paces[1][i], table[i].second, sizeof table[i].second);
        assert_int_equal(duel_pair_state(&memory, i, FLOOR), table[i].expected);
        assert_int_equal(duel_pair_state(&memory, i, 0), CORE_UNKNOWN);
    }
}

static void a_side_left_alone_gives_up_when_asked(void **state)
{
    (void)state;
    struct duel_mapping mapping;
    struct duel_plan plan = {.seed = 7, .number = 1, .pairs = 5};
    assert_ok(duel_mapping_init(&mapping));
    pid_t side = fork();
    if (side == 0)
        run_side(mapping.path, 0, &plan, 0);
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
        cmocka_unit_test(a_duel_goes_on_until_enough_pairs_were_free),
        cmocka_unit_test(a_duel_that_is_never_free_ends_at_its_limit),
        cmocka_unit_test(times_that_the_body_reports_do_not_wait_for_the_core),
        cmocka_unit_test(without_a_floor_or_a_limit_a_duel_does_not_go_on),
        cmocka_unit_test(a_short_duel_needs_no_more_free_pairs_than_it_has),
        cmocka_unit_test(a_pair_has_a_state_only_if_both_halves_had_it),
        cmocka_unit_test(a_side_left_alone_gives_up_when_asked),
        cmocka_unit_test(missing_shared_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "core/timer/core_floor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "own_cache.h"

static const double FLOOR = .0112, CHAIN_NS = 51.25;

// The readings of an epoch in which the core was free for this share of the time.
static struct pace_summary epoch(double lowest, double free, double chain_ns)
{
    return (struct pace_summary){.lowest = lowest,
                                 .low = lowest,
                                 .high = 1.5 * lowest,
                                 .free = free,
                                 .chain_ns = free > 0 ? chain_ns : 0,
                                 .readings = 100};
}

static void note(struct core_floor *floor, struct pace_summary core)
{
    core_floor_note(floor, &core);
}

// A run that had the core to itself.
static void keep(double front, double chain_ns)
{
    struct core_floor floor;
    core_floor_load(&floor);
    note(&floor, epoch(front, 1, chain_ns));
    core_floor_save(&floor);
}

static struct core_floor loaded(void)
{
    struct core_floor floor;
    memset(&floor, 7, sizeof floor);
    core_floor_load(&floor);
    return floor;
}

static char *read_file(void)
{
    AUTO(memory) char *path = core_floor_path();
    struct text text = {0};
    assert_ok(file_read(path, &text));
    return text_take(&text);
}

static void write_file(const char *text)
{
    AUTO(memory) char *path = core_floor_path();
    assert_ok(file_write(path, text, strlen(text)));
}

// "machine processor", from the last line of the file.
static char *key_of_this_processor(void)
{
    keep(FLOOR, CHAIN_NS);
    AUTO(memory) char *text = read_file();
    text[strlen(text) - 1] = '\0';
    const char *line = strrchr(text, '\n') + 1;
    size_t size = strcspn(line, " ");
    return mem_text_n(line, size + 1 + strcspn(line + size + 1, " "));
}

static unsigned lines_in(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

static void nothing_is_known_at_first(void **state)
{
    (void)state;
    static const struct core_floor nothing;
    struct core_floor floor = loaded();
    assert_memory_equal(&floor, &nothing, sizeof nothing);
    assert_near(core_floor_get(&floor), 0, 0);
    assert_true(isnan(core_floor_free_share(&floor)));
}

static void a_learned_floor_is_known_to_the_next_run(void **state)
{
    (void)state;
    struct core_floor floor = loaded();
    note(&floor, epoch(FLOOR, 1, CHAIN_NS));
    note(&floor, epoch(FLOOR, .5, CHAIN_NS));
    assert_false(floor.kept);
    assert_near(core_floor_free_share(&floor), .75, 1e-15);
    core_floor_save(&floor);
    struct core_floor next = loaded();
    assert_true(next.kept);
    assert_near(core_floor_get(&next), FLOOR, 1e-15);
    assert_near(next.chain_ns, CHAIN_NS, 1e-12);
    assert_int_equal(next.seen, 2);
    assert_string_equal(next.since, floor.since);
    assert_int_equal(strlen(next.since), 10);
    assert_near(next.readings, 0, 0);  // those of a run are not kept
}

static void readings_of_nothing_teach_nothing(void **state)
{
    (void)state;
    struct core_floor floor = loaded(), before = floor;
    note(&floor, (struct pace_summary){.lowest = .001, .chain_ns = 3});
    assert_memory_equal(&floor, &before, sizeof floor);
}

static void a_run_that_never_had_the_core_to_itself_keeps_nothing(void **state)
{
    (void)state;
    struct core_floor floor = loaded();
    note(&floor, epoch(FLOOR, 0, 0));
    core_floor_save(&floor);
    AUTO(memory) char *path = core_floor_path();
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_lower_floor_replaces_the_kept_one(void **state)
{
    (void)state;
    keep(FLOOR, CHAIN_NS);
    keep(FLOOR, CHAIN_NS);
    struct core_floor floor = loaded();
    assert_int_equal(floor.seen, 2);
    note(&floor, epoch(.97 * FLOOR, 1, CHAIN_NS));  // within the error of a reading
    assert_false(core_floor_was_wrong(&floor));
    assert_near(core_floor_get(&floor), FLOOR, 1e-15);
    note(&floor, epoch(.8 * FLOOR, .2, CHAIN_NS));
    assert_true(core_floor_was_wrong(&floor));
    assert_near(core_floor_get(&floor), .8 * FLOOR, 1e-15);
    assert_int_equal(floor.seen, 1);  // of the new one
    core_floor_save(&floor);
    struct core_floor next = loaded();
    assert_near(core_floor_get(&next), .8 * FLOOR, 1e-15);
    assert_false(core_floor_was_wrong(&next));
    note(&next, epoch(FLOOR, 0, 0));  // the neighbour is back
    assert_near(core_floor_get(&next), .8 * FLOOR, 1e-15);
}

// A run with one epoch at each of these paces. Returns the pace that its times are stated for.
static double run_at(const double *paces_ns, size_t count)
{
    struct core_floor floor = loaded();
    for (size_t i = 0; i < count; i++)
        note(&floor, epoch(FLOOR, 1, paces_ns[i]));
    core_floor_save(&floor);
    return floor.chain_ns;
}
#define RUN_AT(...) run_at((const double[]){__VA_ARGS__}, LENGTH(((const double[]){__VA_ARGS__})))

static void a_pace_is_kept_if_three_epochs_reach_it(void **state)
{
    (void)state;
    assert_near(RUN_AT(50, 40, 53, 51, 52), 51, 0);  // one at 40 may be an error
    assert_near(loaded().chain_ns, 51, 1e-9);
}

static void with_few_epochs_the_last_pace_is_kept(void **state)
{
    (void)state;
    assert_near(RUN_AT(50, 52), 52, 0);
    assert_near(loaded().chain_ns, 52, 1e-9);
}

static void a_faster_pace_replaces_the_kept_one_from_the_next_run_on(void **state)
{
    (void)state;
    RUN_AT(50, 50, 50);
    assert_near(RUN_AT(48, 48, 48), 50, 1e-9);  // times of one run are stated alike
    assert_near(loaded().chain_ns, 48, 1e-9);
    RUN_AT(40, 40);  // two may be errors
    assert_near(loaded().chain_ns, 48, 1e-9);
}

static void a_pace_that_is_no_longer_reached_is_forgotten_slowly(void **state)
{
    (void)state;
    RUN_AT(50, 50, 50);
    RUN_AT(53.9, 53.9, 53.9);  // as far as frequencies vary
    assert_near(loaded().chain_ns, 50, 1e-9);
    RUN_AT(55, 55, 55);
    assert_near(loaded().chain_ns, 51, 1e-9);
}

static void an_epoch_with_few_free_readings_sets_no_pace(void **state)
{
    (void)state;
    RUN_AT(50, 50, 50);
    struct core_floor floor = loaded();
    for (int i = 0; i < 5; i++)
        note(&floor, epoch(FLOOR, .4, 45));
    core_floor_save(&floor);
    assert_near(loaded().chain_ns, 50, 1e-9);
}

static struct core_floor floor_after(unsigned readings, double low, double high, double free)
{
    struct core_floor floor = loaded();
    note(&floor, (struct pace_summary){
                     .lowest = low, .low = low, .high = high, .free = free, .readings = readings});
    return floor;
}

static void a_kept_floor_too_low_for_all_readings_is_doubted(void **state)
{
    (void)state;
    keep(FLOOR, CHAIN_NS);
    struct core_floor floor = floor_after(1000, 2 * FLOOR, 2.5 * FLOOR, 0);
    assert_true(core_floor_is_doubtful(&floor));
    assert_near(core_floor_get(&floor), 2 * FLOOR, 1e-15);  // the lowest of this run
    struct core_floor hardly = floor_after(4000, 2 * FLOOR, 2.5 * FLOOR, .0005);
    assert_true(core_floor_is_doubtful(&hardly));
}

static void a_kept_floor_is_doubted_if_readings_are_steady_elsewhere(void **state)
{
    (void)state;
    keep(FLOOR, CHAIN_NS);
    struct core_floor floor = floor_after(1000, 1.5 * FLOOR, 1.55 * FLOOR, 0);
    assert_true(core_floor_is_doubtful(&floor));
    assert_near(core_floor_get(&floor), 1.5 * FLOOR, 1e-15);
}

static void a_busy_neighbour_is_no_reason_to_doubt(void **state)
{
    (void)state;
    struct core_floor fresh = floor_after(1000, FLOOR, 2.5 * FLOOR, 0);
    assert_false(core_floor_is_doubtful(&fresh));  // nothing was kept
    keep(FLOOR, CHAIN_NS);
    struct core_floor varied = floor_after(1000, 1.3 * FLOOR, 1.8 * FLOOR, 0);
    struct core_floor brief = floor_after(999, 2 * FLOOR, 2.5 * FLOOR, 0);
    struct core_floor rested = floor_after(1000, FLOOR, 2.5 * FLOOR, .01);
    assert_false(core_floor_is_doubtful(&varied));
    assert_false(core_floor_is_doubtful(&brief));
    assert_false(core_floor_is_doubtful(&rested));
    assert_near(core_floor_get(&varied), FLOOR, 1e-15);
}

// As soon as several readings agree with it, a neighbour that never rested was the reason.
static void a_doubt_is_lifted_when_the_kept_floor_is_seen_again(void **state)
{
    (void)state;
    keep(FLOOR, CHAIN_NS);
    struct core_floor floor = floor_after(1000, 2 * FLOOR, 2.5 * FLOOR, 0);
    assert_true(core_floor_is_doubtful(&floor));
    note(&floor, (struct pace_summary){
                     .lowest = 1.01 * FLOOR, .low = FLOOR, .high = 2.5 * FLOOR, .readings = 100});
    assert_false(core_floor_is_doubtful(&floor));
    assert_near(core_floor_get(&floor), FLOOR, 1e-15);
    note(&floor, (struct pace_summary){
                     .lowest = 2 * FLOOR, .low = 2 * FLOOR, .high = 2.5 * FLOOR, .readings = 9000});
    assert_false(core_floor_is_doubtful(&floor));  // it is known by now
}

// By the lowest ratio of the run, the core then appears free.
static void a_doubtful_floor_stays_doubtful_and_is_kept_as_it_was(void **state)
{
    (void)state;
    keep(FLOOR, CHAIN_NS);
    AUTO(memory) char *before = read_file();
    struct core_floor floor = floor_after(1000, 1.5 * FLOOR, 1.55 * FLOOR, 0);
    for (int i = 0; i < 20; i++)
        note(&floor, (struct pace_summary){.lowest = 1.5 * FLOOR,
                                           .low = 1.5 * FLOOR,
                                           .high = 1.55 * FLOOR,
                                           .free = 1,
                                           .chain_ns = .9 * CHAIN_NS,
                                           .readings = 100});
    assert_true(core_floor_is_doubtful(&floor));
    assert_near(core_floor_get(&floor), 1.5 * FLOOR, 1e-15);
    core_floor_save(&floor);
    AUTO(memory) char *after = read_file();
    assert_string_equal(after, before);
}

static void the_floor_of_another_processor_is_not_used(void **state)
{
    (void)state;
    AUTO(memory) char *key = key_of_this_processor();
    for (int after = 0; after < 2; after++) {
        AUTO(text) struct text file = {0};
        text_format(&file, "%s%s%s 0.5 50 3 2026-01-01\n", after ? "" : "x", key, after ? "1" : "");
        write_file(text_get(&file));
        assert_near(loaded().front, 0, 0);
    }
}

static void garbage_in_the_file_is_ignored(void **state)
{
    (void)state;
    AUTO(memory) char *key = key_of_this_processor();
    static const char *const garbage[] = {
        "",
        " ",
        " \n\n",
        " nonsense",
        " 0.5",
        " 0 50 3 x",
        " -0.5 50 3 2026-01-01",
        " nan 1 1 x",
        " 0.5 inf 3 2026-01-01",
        " 1e9 1 1 x",
        " 0.5 0 3 2026-01-01\n\001\377\n",
    };
    for (size_t i = 0; i < LENGTH(garbage); i++)
        for (int followed = 0; followed < 2; followed++) {
            AUTO(text) struct text file = {0};
            text_format(&file, "# comment\n%s%s", key, garbage[i]);
            if (followed)
                text_format(&file, "\n%s 0.25 50 3 2026-01-01-and-more", key);
            write_file(text_get(&file));
            struct core_floor floor = loaded();
            assert_near(floor.front, followed ? .25 : 0, 0);
            assert_int_equal(floor.kept, followed);
            assert_string_equal(floor.since, followed ? "2026-01-01" : "");
        }
}

// As left by a full disk: the missing words must not be taken from the next line.
static void a_line_that_ends_early_is_ignored(void **state)
{
    (void)state;
    AUTO(memory) char *key = key_of_this_processor();
    AUTO(text) struct text file = {0};
    text_format(&file, "%s 0.5 50 3\nother /cpu 0.75 50 3 2026-01-02\n", key);
    write_file(text_get(&file));
    assert_near(loaded().front, 0, 0);
}

static void other_lines_survive_and_the_own_one_is_replaced(void **state)
{
    (void)state;
    AUTO(memory) char *key = key_of_this_processor();
    AUTO(text) struct text file = {0};
    text_format(&file, "# old heading\nother /cpu 0.5 50 3 2026-01-01\n%s 0.25 50 3 2026-01-01\n",
                key);
    text_add(&file, "last /cpu 0.75 50 3 2026-01-02");  // without a newline
    write_file(text_get(&file));
    for (int i = 0; i < 3; i++)
        keep(FLOOR, CHAIN_NS);
    AUTO(memory) char *text = read_file();
    assert_int_equal(lines_in(text, "other /cpu 0.5 50 3 2026-01-01\n"), 1);
    assert_int_equal(lines_in(text, "last /cpu 0.75 50 3 2026-01-02\n"), 1);
    assert_int_equal(lines_in(text, key), 1);
    assert_int_equal(lines_in(text, "#"), 1);
    assert_int_equal(lines_in(text, "\n"), 4);
    assert_near(loaded().front, FLOOR, 1e-15);  // lower than .25
}

// As root, no folder is read-only; but no file can replace a folder.
static void a_file_that_cannot_be_written_is_no_error(void **state)
{
    (void)state;
    AUTO(memory) char *path = core_floor_path();
    assert_int_equal(mkdir(path, 0700), 0);
    keep(FLOOR, CHAIN_NS);
    assert_near(loaded().front, 0, 0);
    AUTO(memory) char *leftovers = mem_format("! ls '%s'.* 2>/dev/null", path);
    assert_int_equal(system(leftovers), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, own_cache_begin, own_cache_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_known_at_first),
        TEST(a_learned_floor_is_known_to_the_next_run),
        TEST(readings_of_nothing_teach_nothing),
        TEST(a_run_that_never_had_the_core_to_itself_keeps_nothing),
        TEST(a_lower_floor_replaces_the_kept_one),
        TEST(a_pace_is_kept_if_three_epochs_reach_it),
        TEST(with_few_epochs_the_last_pace_is_kept),
        TEST(a_faster_pace_replaces_the_kept_one_from_the_next_run_on),
        TEST(a_pace_that_is_no_longer_reached_is_forgotten_slowly),
        TEST(an_epoch_with_few_free_readings_sets_no_pace),
        TEST(a_kept_floor_too_low_for_all_readings_is_doubted),
        TEST(a_kept_floor_is_doubted_if_readings_are_steady_elsewhere),
        TEST(a_busy_neighbour_is_no_reason_to_doubt),
        TEST(a_doubtful_floor_stays_doubtful_and_is_kept_as_it_was),
        TEST(a_doubt_is_lifted_when_the_kept_floor_is_seen_again),
        TEST(the_floor_of_another_processor_is_not_used),
        TEST(garbage_in_the_file_is_ignored),
        TEST(a_line_that_ends_early_is_ignored),
        TEST(other_lines_survive_and_the_own_one_is_replaced),
        TEST(a_file_that_cannot_be_written_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Epochs of whole commands, which are run here.
#include <unistd.h>

#include "ab/verdict/paired_epoch.h"
#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-commands-XXXXXX";

struct side {
    const char *argv[4];
    struct run_subject subject;
    struct run_case item;
};

// Runs a line of sh.
static void side_init(struct side *side, const char *line)
{
    *side = (struct side){.argv = {"/bin/sh", "-c", line, NULL}};
    side->subject.launch.argv = side->argv;
    side->item.subject = &side->subject;
}

static struct bilanx_error run(const char *a, const char *b, struct paired_epoch epoch,
                               struct duel_mapping *mapping, struct paired_failure *failure)
{
    struct side sides[2];
    side_init(&sides[0], a);
    side_init(&sides[1], b);
    epoch.sides[0] = &sides[0].item;
    epoch.sides[1] = &sides[1].item;
    return paired_by_commands.run(&epoch, mapping, failure);
}

static void a_pair_runs_each_side_once_in_random_order(void **state)
{
    (void)state;
    enum { PAIRS = 12 };
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    struct duel_mapping mapping;
    assert_ok(duel_mapping_init(&mapping));
    AUTO(memory) char *a = mem_format("echo a >>%s/log", folder);
    AUTO(memory) char *b = mem_format("echo b >>%s/log", folder);
    memset(mapping.memory->disturbed, 1, sizeof mapping.memory->disturbed);
    assert_ok(run(a, b, (struct paired_epoch){.seed = 3, .pairs = PAIRS}, &mapping, &failure));
    assert_int_equal(mapping.memory->pairs, PAIRS);
    AUTO(text) struct text log = {0};
    AUTO(memory) char *path = mem_format("%s/log", folder);
    assert_ok(file_read(path, &log));
    assert_int_equal(log.size, 4 * PAIRS);
    unsigned begun_by_a = 0;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        const char *first = text_get(&log) + 4 * (size_t)pair;
        assert_int_not_equal(first[0], first[2]);
        begun_by_a += first[0] == 'a';
        for (unsigned side = 0; side < 2; side++) {
            assert_true(mapping.memory->ns[side][pair] > 0);
            assert_false(mapping.memory->disturbed[side][pair]);
            for (unsigned i = 0; i < 2; i++)
                assert_true(pace_ratio(mapping.memory->paces[side][pair][i]) > 0);
        }
    }
    assert_in_range(begun_by_a, 1, PAIRS - 1);
    duel_mapping_done(&mapping);
}

static void a_command_that_fails_is_named_with_its_output(void **state)
{
    (void)state;
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    struct duel_mapping mapping;
    assert_ok(duel_mapping_init(&mapping));
    assert_error(run(":", "echo no such file >&2; exit 3",
                     (struct paired_epoch){.seed = 1, .pairs = 2}, &mapping, &failure),
                 BILANX_E_EXITED, "status 3");
    assert_int_equal(failure.side, 1);
    assert_string_equal(failure.phase, "stmt");
    assert_string_equal(text_get(&failure.output), "no such file\n");
    duel_mapping_done(&mapping);
}

static void only_the_end_of_a_long_output_is_kept(void **state)
{
    (void)state;
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    struct duel_mapping mapping;
    assert_ok(duel_mapping_init(&mapping));
    assert_error(run("head -c 10000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1", ":",
                     (struct paired_epoch){.seed = 1, .pairs = 1}, &mapping, &failure),
                 BILANX_E_EXITED, "status 1");
    assert_int_equal(failure.side, 0);
    assert_int_equal(failure.output.size, 4096);
    assert_string_equal(text_get(&failure.output) + 4096 - 5, "xend\n");
    duel_mapping_done(&mapping);
}

static void a_command_that_hangs_is_ended(void **state)
{
    (void)state;
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    struct duel_mapping mapping;
    assert_ok(duel_mapping_init(&mapping));
    assert_error(run("sleep 60", "sleep 60",
                     (struct paired_epoch){.seed = 1, .pairs = 1, .timeout = .02}, &mapping,
                     &failure),
                 BILANX_E_TIMED_OUT, "longer than 0.02 s");
    duel_mapping_done(&mapping);
}

static void a_command_that_does_not_exist_says_so(void **state)
{
    (void)state;
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    struct paired_calibration calibration;
    struct side side;
    side_init(&side, ":");
    side.argv[0] = "/nonexistent/program";
    struct paired_epoch epoch = {.sides = {&side.item, &side.item}};
    assert_error(paired_by_commands.calibrate(&epoch, 1, &calibration, &failure), BILANX_E_SYSTEM,
                 "command '/nonexistent/program' not found");
    assert_int_equal(failure.side, 1);
}

static void a_command_is_calibrated_by_its_second_run(void **state)
{
    (void)state;
    AUTO(paired_failure) struct paired_failure failure = {.side = -1};
    AUTO(memory) char *line = mem_format("echo x >>%s/runs", folder);
    struct paired_calibration calibration;
    struct side side;
    side_init(&side, line);
    struct paired_epoch epoch = {.sides = {&side.item, &side.item}};
    assert_ok(paired_by_commands.calibrate(&epoch, 0, &calibration, &failure));
    assert_int_equal(calibration.number, 1);
    assert_true(calibration.batch_ns > 0);
    assert_near(calibration.setup_ns, 0, 0);
    AUTO(text) struct text runs = {0};
    AUTO(memory) char *path = mem_format("%s/runs", folder);
    assert_ok(file_read(path, &runs));
    assert_string_equal(text_get(&runs), "x\nx\n");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return file_remove_tree(folder) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_runs_each_side_once_in_random_order),
        cmocka_unit_test(a_command_that_fails_is_named_with_its_output),
        cmocka_unit_test(only_the_end_of_a_long_output_is_kept),
        cmocka_unit_test(a_command_that_hangs_is_ended),
        cmocka_unit_test(a_command_that_does_not_exist_says_so),
        cmocka_unit_test(a_command_is_calibrated_by_its_second_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

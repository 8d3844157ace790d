// Commands of the tests note that they ran; no time matters.
#include <fcntl.h>

#include "own_folder.h"
#include "sources/commands/commands.h"

struct fixture {
    struct commands commands;
    size_t working, finished;
    double most_done;
};
static struct fixture fixture;

#define COMMAND(...)                              \
    {.words = (const char *const[]){__VA_ARGS__}, \
     .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)}

static int enter(void **state)
{
    fixture = (struct fixture){0};
    if (own_folder_enter(state) != 0)
        return -1;
    program_make("note", "#!/bin/sh\necho \"$1\" >>ran\nexit ${2:-0}\n");
    return 0;
}

static int leave(void **state)
{
    commands_done(&fixture.commands);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static void working(void *context, const struct commands_item *item, double done)
{
    (void)context;
    assert_false(item->done);
    fixture.working++;
    fixture.most_done = done > fixture.most_done ? done : fixture.most_done;
}

static void finished(void *context, const struct commands_item *item)
{
    (void)context;
    assert_true(item->done);
    assert_non_null(item->record.kind);
    fixture.finished++;
}

static void measure_all(const struct commands_template *typed, size_t count,
                        struct commands_options options)
{
    struct parameters none = {0};
    options.seed = options.seed ? options.seed : 1;
    assert_ok(commands_expand(typed, count, &none, &options, &fixture.commands));
    assert_ok(commands_measure(&fixture.commands, &options,
                               &(struct commands_observer){NULL, working, finished}));
}
static const struct commands_item *item_at(size_t at)
{
    return &fixture.commands.items[at];
}

// How often each letter was noted: "a3 b3".
static void assert_ran(const char *expected)
{
    AUTO(text) struct text text = {0}, counts = {0};
    if (file_exists("ran"))
        assert_ok(file_read("ran", &text));
    for (char letter = 'a'; letter <= 'z'; letter++) {
        size_t count = 0;
        for (const char *at = text_get(&text); (at = strchr(at, letter)); at++)
            count++;
        if (count)
            text_format(&counts, "%s%c%zu", counts.size ? " " : "", letter, count);
    }
    assert_string_equal(text_get(&counts), expected);
}

static void assert_failed(size_t at, const char *phase, const char *code, const char *text)
{
    const struct bilanx_failure *failure = item_at(at)->record.error;
    assert_non_null(failure);
    assert_string_equal(item_at(at)->record.kind, "failure");
    assert_string_equal(failure->phase, phase);
    assert_string_equal(failure->code, code);
    if (!strstr(failure->text, text))
        fail_msg("failed with '%s', not '%s'", failure->text, text);
}

static void every_command_runs_once_a_round(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b"),
                                        COMMAND("./note", "c")};
    measure_all(typed, 3, (struct commands_options){.runs = 4});
    assert_ran("a4 b4 c4");
    AUTO(text) struct text order = {0};
    assert_ok(file_read("ran", &order));
    for (size_t round = 0; round < 4; round++) {
        const char *three = text_get(&order) + 6 * round;
        assert_int_equal(three[0] + three[2] + three[4], 'a' + 'b' + 'c');
    }
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(item_at(i)->record.kind, "measurement");
        assert_int_equal(item_at(i)->run_count, 4);
        assert_int_equal(item_at(i)->record.timing.raw_count, 4);
        assert_int_equal(item_at(i)->reading_count, 8);  // before and after each
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(item_at(i)->runs[k].round, k + 1);
            assert_true(item_at(i)->runs[k].wall > 0);
        }
        assert_true(item_at(i)->spent > 0);
    }
    assert_int_equal(fixture.working, 12);
    assert_int_equal(fixture.finished, 3);
    assert_true(fixture.most_done >= 2.25 && fixture.most_done < 3);
}

static void commands_can_run_one_after_another(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b")};
    measure_all(typed, 2, (struct commands_options){.runs = 2, .order = COMMANDS_SEQUENTIAL});
    assert_file("ran", "a\na\nb\nb\n");
    assert_int_equal(fixture.finished, 2);
}

static void warmup_runs_do_not_count(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a")};
    measure_all(typed, 1, (struct commands_options){.runs = 3, .warmup = 2});
    assert_ran("a5");
    assert_int_equal(item_at(0)->run_count, 3);
    assert_int_equal(item_at(0)->runs[0].round, 3);
}

static void hooks_run_around_the_runs(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b")};
    for (size_t i = 0; i < 2; i++) {
        typed[i].setup = "./note s";
        typed[i].prepare = "./note p";
        typed[i].cleanup = "./note c";
    }
    measure_all(typed, 2, (struct commands_options){.runs = 2, .order = COMMANDS_INTERLEAVED});
    assert_ran("a2 b2 c1 p4 s1");  // equal setups and cleanups run once
    AUTO(text) struct text order = {0};
    assert_ok(file_read("ran", &order));
    assert_int_equal(strncmp(text_get(&order), "s\np\n", 4), 0);
    assert_string_equal(text_get(&order) + order.size - 2, "c\n");
}

static void different_setups_run_for_their_own_commands(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b")};
    typed[0].setup = "./note s";
    typed[1].setup = "./note t";
    typed[0].cleanup = "./note c";
    typed[1].cleanup = "./note d";
    measure_all(typed, 2, (struct commands_options){.runs = 1});
    assert_file("ran", "s\na\nc\nt\nb\nd\n");  // they might undo each other
}

static void a_command_that_fails_is_not_run_again(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a", "3"), COMMAND("./note", "b")};
    measure_all(typed, 2, (struct commands_options){.runs = 3});
    assert_ran("a1 b3");
    assert_failed(0, "stmt", "exited",
                  "exited with status 3 (--ignore-failure measures it anyway)");
    assert_null(item_at(1)->record.error);
    assert_int_equal(fixture.finished, 2);
}

static void failures_can_be_measured(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a", "3")};
    measure_all(typed, 1, (struct commands_options){.runs = 3, .ignore_failure = true});
    assert_ran("a3");
    assert_null(item_at(0)->record.error);
    assert_int_equal(item_at(0)->exit_count, 1);
    assert_int_equal(item_at(0)->exits[0].count, 3);
    assert_non_null(strstr(item_at(0)->record.counters, "\"exit_3\":3"));
}

static void exits_are_counted_by_their_status(void **state)
{
    (void)state;
    program_make("counts", "#!/bin/sh\necho x >>ran\nexit $(($(wc -l <ran) % 3))\n");
    struct commands_template typed[] = {COMMAND("./counts")};
    measure_all(typed, 1, (struct commands_options){.runs = 7, .ignore_failure = true});
    assert_int_equal(item_at(0)->exit_count, 2);
    assert_int_equal(item_at(0)->exits[0].count, 3);  // runs 1, 4 and 7
    assert_int_equal(item_at(0)->exits[1].count, 2);
}

static void the_end_of_the_output_explains_a_failure(void **state)
{
    (void)state;
    program_make("talks",
                 "#!/bin/sh\nseq 2000 >&2\necho on stdout\necho the last words >&2\nexit 1\n");
    struct commands_template typed[] = {COMMAND("./talks")};
    measure_all(typed, 1, (struct commands_options){.runs = 1});
    const char *output = item_at(0)->record.error->output;
    assert_non_null(output);
    assert_non_null(strstr(output, "\n2000\nthe last words\n"));
    assert_null(strstr(output, "on stdout"));
    assert_null(strstr(output, "\n100\n"));
    assert_true(strlen(output) <= 4096);
}

static void a_command_that_is_not_there_cannot_start(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("no-such-command"), COMMAND("sleep 1; echo"),
                                        COMMAND("./missing")};
    measure_all(typed, 3, (struct commands_options){.runs = 1});
    assert_failed(0, "start", "system", "cannot find 'no-such-command' in PATH");
    assert_null(strstr(item_at(0)->record.error->text, "quotes"));
    assert_failed(1, "start", "system", "(type its words without quotes");
    assert_failed(2, "start", "system", "./missing");
}

static void a_setup_that_fails_concerns_all_commands_that_share_it(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b"),
                                        COMMAND("./note", "e")};
    typed[0].setup = typed[1].setup = "./note s 4";
    typed[0].cleanup = typed[1].cleanup = "./note c";
    measure_all(typed, 3, (struct commands_options){.runs = 2, .order = COMMANDS_INTERLEAVED});
    assert_ran("c1 e2 s1");
    assert_failed(0, "setup", "exited", "'./note s 4': exited with status 4");
    assert_failed(1, "setup", "exited", "exited with status 4");
    assert_null(item_at(2)->record.error);
}

static void a_preparation_that_fails_ends_its_command(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a")};
    typed[0].prepare = "./note p 4";
    measure_all(typed, 1, (struct commands_options){.runs = 2});
    assert_ran("p1");
    assert_failed(0, "prepare", "exited", "'./note p 4': exited with status 4");
}

static void the_first_cleanup_that_fails_is_reported(void **state)
{
    (void)state;
    program_make("moan", "#!/bin/sh\necho why\nexit $1\n");
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b")};
    typed[0].cleanup = "./moan 5";
    typed[1].cleanup = "./moan 6";
    measure_all(typed, 2, (struct commands_options){.runs = 1, .order = COMMANDS_INTERLEAVED});
    assert_string_equal(fixture.commands.cleanup_error,
                        "cleanup './moan 5': exited with status 5\nwhy\n");
    assert_null(item_at(0)->record.error);
}

static void every_run_reads_its_input_from_the_start(void **state)
{
    (void)state;
    file_make("input", "x\n");
    struct commands_template typed[] = {COMMAND("sh", "-c", "cat; echo end")};
    measure_all(
        typed, 1,
        (struct commands_options){
            .runs = 2, .input = "input", .output = COMMANDS_TO_FILE, .output_file = "output"});
    assert_null(item_at(0)->record.error);
    assert_file("output", "x\nend\n");  // of the last run
}

static void without_an_input_there_is_nothing_to_read(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("sh", "-c", "cat >got; echo to nowhere")};
    measure_all(typed, 1, (struct commands_options){.runs = 1});
    assert_null(item_at(0)->record.error);
    assert_file("got", "");
}

static void files_that_cannot_be_used_are_named(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a")};
    assert_int_equal(mkfifo("fifo", 0600), 0);
    measure_all(typed, 1, (struct commands_options){.runs = 1, .input = "fifo"});
    assert_failed(0, "stmt", "bad-input", "'fifo' is a FIFO");
    commands_done(&fixture.commands);
    measure_all(typed, 1, (struct commands_options){.runs = 1, .input = "missing"});
    assert_failed(0, "start", "system", "cannot open 'missing'");
    commands_done(&fixture.commands);
    measure_all(typed, 1,
                (struct commands_options){
                    .runs = 1, .output = COMMANDS_TO_FILE, .output_file = "no/where"});
    assert_failed(0, "start", "system", "cannot write 'no/where'");
    assert_ran("");
}

static void a_command_that_takes_too_long_is_killed(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("sleep", "60")};
    measure_all(typed, 1, (struct commands_options){.runs = 1, .timeout = 0.05});
    assert_int_equal(item_at(0)->record.error->code[0], 't');
    assert_failed(0, "stmt", "timed-out", "");
}

static void the_least_number_of_runs_outweighs_the_time(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a")};
    measure_all(typed, 1, (struct commands_options){.min_runs = 4, .max_run_time = 1e-9});
    assert_int_equal(item_at(0)->run_count, 4);
    commands_done(&fixture.commands);
    measure_all(typed, 1, (struct commands_options){.max_run_time = 1e-9});
    assert_int_equal(item_at(0)->run_count, 10);
    commands_done(&fixture.commands);
    measure_all(typed, 1, (struct commands_options){.max_runs = 3, .max_run_time = 1000});
    assert_int_equal(item_at(0)->run_count, 3);
}

static void runs_end_when_all_commands_are_precise(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./note", "a"), COMMAND("./note", "b")};
    measure_all(
        typed, 2,
        (struct commands_options){.min_run_time = 1e-9, .max_run_time = 1000, .precision = 1e9});
    assert_true(item_at(0)->run_count >= 10 && item_at(0)->run_count < 30);
    assert_int_equal(item_at(0)->run_count, item_at(1)->run_count);
    assert_int_equal(fixture.finished, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_command_runs_once_a_round),
        TEST(commands_can_run_one_after_another),
        TEST(warmup_runs_do_not_count),
        TEST(hooks_run_around_the_runs),
        TEST(different_setups_run_for_their_own_commands),
        TEST(a_command_that_fails_is_not_run_again),
        TEST(failures_can_be_measured),
        TEST(exits_are_counted_by_their_status),
        TEST(the_end_of_the_output_explains_a_failure),
        TEST(a_command_that_is_not_there_cannot_start),
        TEST(a_setup_that_fails_concerns_all_commands_that_share_it),
        TEST(a_preparation_that_fails_ends_its_command),
        TEST(the_first_cleanup_that_fails_is_reported),
        TEST(every_run_reads_its_input_from_the_start),
        TEST(without_an_input_there_is_nothing_to_read),
        TEST(files_that_cannot_be_used_are_named),
        TEST(a_command_that_takes_too_long_is_killed),
        TEST(the_least_number_of_runs_outweighs_the_time),
        TEST(runs_end_when_all_commands_are_precise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

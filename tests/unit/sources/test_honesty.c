// A worker of this program takes the times that $COSTS lists: of 1, 2 and 8 copies, and of the
// empty loop, in ns.
#include <math.h>

#include "core/timer/rigorous.h"
#include "core/worker/server.h"
#include "own_folder.h"
#include "records.h"
#include "sources/statements/statements.h"

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

static void note(const struct message *request, uint64_t n)
{
    static const char *const keys[] = {"object", "place", "copies", "barrier", "inputs", "pages"};
    AUTO(memory) char *path = mem_format("%s/notes", getenv("HERE"));
    AUTO(file) FILE *file = fopen(path, "a");
    for (size_t i = 0; file && i < LENGTH(keys); i++)
        if (message_text(request, keys[i]))
            fprintf(file, "%s=%s ", keys[i], message_text(request, keys[i]));
    if (file)
        fprintf(file, "n=%llu\n", (unsigned long long)n);
}

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context;
    double costs[4] = {0};
    uint64_t copies = 0, last = 0;
    BILANX_TRY(message_count(request, "copies", &copies));
    if (sscanf(getenv("COSTS"), "%lf %lf %lf %lf", &costs[0], &costs[1], &costs[2], &costs[3]) != 4)
        return bilanx_error_make(BILANX_E_FAILED, "nothing is measured here");
    double cost = costs[copies == 1 ? 0 : copies == 2 ? 1 : copies == 8 ? 2 : 3];
    struct loop loop = {.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    for (uint64_t n; (n = loop_next(&loop)) != 0; last = n) {
        loop.manual = true;
        loop.manual_ns += (double)n * cost;
    }
    note(request, last);
    return BILANX_SUCCESS;
}

// A compiled statement, and the record of its measurement.
struct fixture {
    struct statements statements;
    struct statement item;
    struct run_case measured;
    struct bilanx_record record;
};
static struct fixture fixture;

static int enter(void **state)
{
    static char self[4096];
    static const char *argv[] = {self, NULL};
    if (own_folder_enter(state) != 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    fixture = (struct fixture){
        .item = {.object = (char *)"/an/object", .place = 3, .copies = true, .laundered = true},
        .statements = {.worker = {.name = "worker",
                                  .launch = {.argv = argv, .channel = WORKER_CHANNEL}},
                       .items = &fixture.item,
                       .cases = {.items = &fixture.measured, .count = 1}},
        .measured = {.subject = &fixture.statements.worker, .task = {.num_threads = 1}},
        .record = {.stats = {.estimate = 5e-9, .marginal = NAN}}};
    setenv("XDG_CACHE_HOME", own_folder, 1);
    return setenv("HERE", own_folder, 1);
}

static int leave(void **state)
{
    bilanx_record_done(&fixture.record);
    return own_folder_leave(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static void check_at(double estimate_ns, const char *costs)
{
    bilanx_record_done(&fixture.record);
    fixture.record =
        (struct bilanx_record){.stats = {.estimate = estimate_ns / 1e9, .marginal = NAN}};
    setenv("COSTS", costs, 1);
    statements_check(&fixture.statements, &fixture.measured, &fixture.record);
}

static void assert_warned(const char *code, const char *text)
{
    const struct bilanx_record *record = &fixture.record;
    for (size_t i = 0; i < record->warning_count; i++)
        if (strcmp(record->warnings[i].code, code) == 0) {
            if (!strstr(record->warnings[i].text, text))
                fail_msg("'%s' is '%s'", code, record->warnings[i].text);
            return;
        }
    fail_msg("no warning '%s'", code);
}

static void assert_not_warned(void)
{
    if (fixture.record.warning_count)
        fail_msg("warned of %s: %s", fixture.record.warnings[0].code,
                 fixture.record.warnings[0].text);
}

static bool was_run(void)
{
    bool ran = file_exists("notes");
    unlink("notes");
    return ran;
}

static void the_cost_of_one_more_execution_is_the_slope_over_copies(void **state)
{
    (void)state;
    check_at(5, "5.5 10.5 40.5 0.5");
    assert_not_warned();
    assert_near(fixture.record.stats.marginal, 5e-9, 1e-13);
    check_at(5, "9 6 2 0.5");  // a statement cannot take less than no time
    assert_near(fixture.record.stats.marginal, 0, 0);
}

static void each_variant_is_run_with_fewer_calls_the_more_copies_it_has(void **state)
{
    (void)state;
    unsigned number = (unsigned)(RIGOROUS_BATCH_NS / 5) + 1;
    fixture.item.inputs = (char *)"n=4";
    check_at(5, "5.5 10.5 40.5 0.5");
    AUTO(text) struct text once = {0}, notes = {0};
    text_format(&once,
                "object=/an/object place=3 copies=1 barrier=0 inputs=n=4 pages=keep n=%u\n"
                "object=/an/object place=3 copies=2 barrier=0 inputs=n=4 pages=keep n=%u\n"
                "object=/an/object place=3 copies=8 barrier=0 inputs=n=4 pages=keep n=%u\n"
                "object=/an/object place=3 copies=0 barrier=1 inputs=n=4 pages=keep n=%u\n",
                number, number / 2 + 1, number / 8 + 1, number);
    assert_ok(file_read("notes", &notes));
    const char *at = text_get(&notes);
    size_t rounds = 0;
    for (; text_starts(at, text_get(&once)); at += once.size)
        rounds++;
    assert_string_equal(at, "");
    assert_in_range(rounds, 1, 3);  // fewer if the machine is slow
    unlink("notes");
    check_at(0.1, "5.5 10.5 40.5 0.5");  // as if it took 0.3 ns
    AUTO(text) struct text shortest = {0};
    AUTO(memory) char *first = mem_format("n=%u\n", (unsigned)(RIGOROUS_BATCH_NS / 0.3) + 1);
    assert_ok(file_read("notes", &shortest));
    assert_non_null(strstr(text_get(&shortest), first));
}

static void copies_that_cost_nothing_were_removed(void **state)
{
    (void)state;
    check_at(5, "1 1 1.07 0.9");
    assert_warned("optimised-away",
                  "eight copies of the statement cost no more than one (1.07 ns and 1.00 ns)");
    check_at(5, "1 1.02 1.1 0.9");
    assert_not_warned();
}

static void copies_that_cost_much_less_than_the_first_share_its_work(void **state)
{
    (void)state;
    check_at(5, "10 10.5 13.5 1");
    assert_warned("partly-optimised",
                  "one more execution costs 0.50 ns, the first one 9.00 ns: part of the work");
    check_at(5, "10 13 31 1");  // a third is usual
    assert_not_warned();
    check_at(5, "1.9 2 2.6 1");  // less than a nanosecond is not worth a word
    assert_not_warned();
}

static void machine_code_decides_before_times_do(void **state)
{
    (void)state;
    fixture.item.traced = true;
    check_at(5, "10 10.5 13.5 1");  // shares less than twenty empty loops
    assert_not_warned();
    check_at(5, "10 10.5 13.5 0.4");
    assert_warned("partly-optimised", "one more execution costs 0.50 ns");
    fixture.item.traced = false;
    fixture.item.removed = true;
    check_at(5, "10 10.5 13.5 0.4");
    assert_warned("optimised-away", "the loop compiles to the same machine code as an empty one");
    assert_int_equal(fixture.record.warning_count, 1);
}

static void what_is_known_from_the_code_is_reported(void **state)
{
    (void)state;
    struct statement *item = &fixture.item;
    item->copies = false;
    item->removed = true;
    item->empty = true;
    check_at(5, "");
    assert_warned("optimised-away",
                  "the statement is empty, so this is what the loop itself costs");
    item->empty = item->laundered = false;
    check_at(5, "");
    assert_warned("optimised-away", "as --no-launder allows");
    item->plain = true;
    check_at(5, "");
    assert_warned("optimised-away", "the compiler removed the statement; BILANX_KEEP its result");
    assert_warned("not-laundered", "could not be hidden from the optimiser");
    item->removed = item->plain = false;
    item->threaded = true;
    item->fixed = (struct run_note){"layout-fixed", "one layout"};
    fixture.statements.left_out = (struct run_note){"flags-left-out", "without -fx"};
    check_at(5, "");
    assert_warned("layout-fixed", "one layout");
    assert_warned("flags-left-out", "without -fx");
    assert_warned("started-threads", "a module starts threads on import");
    assert_int_equal(fixture.record.warning_count, 3);
    assert_false(was_run());
}

static void a_time_below_the_resolution_is_judged_by_the_code(void **state)
{
    (void)state;
    fixture.item.copies = false;
    for (int i = 0; i < 3; i++) {
        bilanx_record_done(&fixture.record);
        fixture.record = (struct bilanx_record){.stats.estimate = 1e-9};
        record_warn(&fixture.record, "below-resolution", "x");
        fixture.item.removed = i == 1;
        fixture.item.traced = i == 2;
        statements_check(&fixture.statements, &fixture.measured, &fixture.record);
        assert_int_equal(has_warning(&fixture.record, "below-resolution"), i == 0);
    }
}

static void long_calls_are_not_repeated_unless_that_was_asked_for(void **state)
{
    (void)state;
    static const char usual[] = "5.5 10.5 40.5 0.5";
    check_at(9.9, usual);
    assert_true(was_run() && !isnan(fixture.record.stats.marginal));
    check_at(10.1, usual);
    assert_true(was_run() && isnan(fixture.record.stats.marginal));
    check_at(1999, usual);
    assert_true(was_run());
    check_at(2001, usual);
    assert_false(was_run());
    fixture.item.marginal = true;
    check_at(2001, usual);
    assert_true(was_run());
    assert_near(fixture.record.stats.marginal, 5e-9, 1e-13);
}

static void some_statements_cannot_be_repeated(void **state)
{
    (void)state;
    static const char usual[] = "5.5 10.5 40.5 0.5";
    fixture.measured.task.num_threads = 2;
    check_at(5, usual);
    assert_false(was_run());
    fixture.measured.task.num_threads = 1;
    fixture.item.setup_once = true;
    check_at(5, usual);
    assert_false(was_run());
    fixture.item.marginal = true;
    check_at(5, usual);
    assert_true(was_run());
    fixture.item.copies = false;
    check_at(5, usual);
    assert_false(was_run());
}

static void a_worker_that_fails_is_no_reason_for_a_warning(void **state)
{
    (void)state;
    check_at(5, "nothing");
    assert_not_warned();
    assert_true(isnan(fixture.record.stats.marginal));
    fixture.statements.worker.launch.argv = (const char *[]){"/no/such/worker", NULL};
    check_at(5, "1 1 1 1");
    assert_not_warned();
}

int main(void)
{
    int in, out;
    process_find_channel(WORKER_CHANNEL, &in, &out);
    if (in >= 0) {
        const struct server_subject subject = {.describe = describe, .run = run};
        return server_run(&subject, in, out);
    }
    const struct CMUnitTest tests[] = {
        TEST(the_cost_of_one_more_execution_is_the_slope_over_copies),
        TEST(each_variant_is_run_with_fewer_calls_the_more_copies_it_has),
        TEST(copies_that_cost_nothing_were_removed),
        TEST(copies_that_cost_much_less_than_the_first_share_its_work),
        TEST(machine_code_decides_before_times_do),
        TEST(what_is_known_from_the_code_is_reported),
        TEST(a_time_below_the_resolution_is_judged_by_the_code),
        TEST(long_calls_are_not_repeated_unless_that_was_asked_for),
        TEST(some_statements_cannot_be_repeated),
        TEST(a_worker_that_fails_is_no_reason_for_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

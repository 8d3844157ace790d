#include "core/worker/epoch_message.h"

#include "base/mem.h"
#include "unit.h"

static struct message parsed(const char *line)
{
    struct message message;
    assert_ok(message_parse(line, strlen(line), &message));
    return message;
}

static struct epoch_report read_line(const char *line)
{
    AUTO(message) struct message message = parsed(line);
    struct epoch_report report;
    memset(&report, 7, sizeof report);
    assert_ok(epoch_message_read(&message, &report));
    return report;
}

static struct epoch_report sent(const struct epoch_report *report)
{
    AUTO(text) struct text line = {0};
    epoch_message_write(report, &line);
    return read_line(text_get(&line));
}

static void assert_same(const struct epoch_report *one, const struct epoch_report *other)
{
    assert_memory_equal(one, other, sizeof *one);
}

// Every field has a different value.
static struct epoch_part part(double base)
{
    return (struct epoch_part){.epoch = {.time = base + .1,
                                         .min = base + .2,
                                         .p25 = base + .3,
                                         .p75 = base + .4,
                                         .p99 = base + .5,
                                         .reference = base + .6,
                                         .batches = (uint64_t)base + 7,
                                         .off_pace = (uint64_t)base + 8,
                                         .disturbed = (uint64_t)base + 9},
                               .cpu_ns = base + 1 / 3.};
}

static struct epoch_report full(void)
{
    return (struct epoch_report){
        .number = 12345678901,
        .free = part(100),
        .other = part(200),
        .has_states = 1,
        .core = {.lowest = .0101,
                 .low = .0102,
                 .high = .0203,
                 .free = 2 / 3.,
                 .chain_ns = 51.2,
                 .readings = 407},
        .spent_ns = 8e6 + .25,
        .empty_loop_ns = .31,
    };
}

static void a_report_survives_the_message(void **state)
{
    (void)state;
    struct epoch_report report = full(), again = sent(&report);
    assert_same(&report, &again);
}

static void a_report_with_one_part_has_no_words_for_the_other(void **state)
{
    (void)state;
    struct epoch_report report = full();
    report.free = (struct epoch_part){0};
    struct epoch_report again = sent(&report);
    assert_same(&report, &again);
    AUTO(text) struct text line = {0};
    epoch_message_write(&report, &line);
    assert_null(strstr(text_get(&line), "free_"));
    report = full();
    report.other = (struct epoch_part){0};
    again = sent(&report);
    assert_same(&report, &again);
}

// From a worker that knows nothing of the state of the core.
static void plain_words_are_a_report_without_a_free_part(void **state)
{
    (void)state;
    struct epoch_report report =
        read_line("epoch number=10 time=2e-6 min=1e-6 p25=1.5e-6 p75=3e-6 p99=4e-6 batches=40 "
                  "disturbed=2 cpu_ns=19000 empty_loop_ns=.3 unheard_of=1");
    struct epoch_report expected = {.number = 10,
                                    .other = {.epoch = {.time = 2e-6,
                                                        .min = 1e-6,
                                                        .p25 = 1.5e-6,
                                                        .p75 = 3e-6,
                                                        .p99 = 4e-6,
                                                        .batches = 40,
                                                        .disturbed = 2},
                                              .cpu_ns = 19000},
                                    .empty_loop_ns = .3};
    expected.spent_ns = report.spent_ns;
    assert_same(&report, &expected);
    assert_near(report.spent_ns, 2e-6 * 1e9 * 10 * 40, 1e-3);
}

static void an_epoch_without_a_time_is_an_error(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "epoch",
        "epoch number=10",
        "epoch number=10 time=1",
        "epoch batches=4 time=1",
        "epoch number=10 batches=4 time=-1",
        "epoch number=10 free_time=1 free_batches=0",
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        AUTO(message) struct message message = parsed(lines[i]);
        struct epoch_report report;
        assert_error(epoch_message_read(&message, &report), BILANX_E_INPUT, "without a time");
    }
    read_line("epoch number=10 free_time=1 free_batches=4");
    read_line("epoch number=10 time=0 batches=4");  // a fake clock may stand still
}

static void a_word_that_is_not_a_number_is_an_error(void **state)
{
    (void)state;
    static const char *const words[] = {"free_time=x", "free_batches=-1", "core_readings=.5",
                                        "core_free=much", "spent_ns=long"};
    for (size_t i = 0; i < LENGTH(words); i++) {
        AUTO(memory) char *line = mem_format("epoch number=1 time=1 batches=4 %s", words[i]);
        AUTO(message) struct message message = parsed(line);
        struct epoch_report report;
        assert_error(epoch_message_read(&message, &report), BILANX_E_INPUT, "is not a number");
    }
}

static void the_state_of_the_core_can_be_reported_alone(void **state)
{
    (void)state;
    struct pace_summary core = full().core, again;
    AUTO(text) struct text line = {0};
    message_begin(&line, "measured");
    epoch_message_add_core(&core, &line);
    AUTO(message) struct message message = parsed(text_get(&line));
    assert_ok(epoch_message_read_core(&message, &again));
    assert_memory_equal(&core, &again, sizeof core);
    AUTO(message) struct message nothing = parsed("measured");
    assert_ok(epoch_message_read_core(&nothing, &again));
    assert_int_equal(again.readings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_survives_the_message),
        cmocka_unit_test(a_report_with_one_part_has_no_words_for_the_other),
        cmocka_unit_test(plain_words_are_a_report_without_a_free_part),
        cmocka_unit_test(an_epoch_without_a_time_is_an_error),
        cmocka_unit_test(a_word_that_is_not_a_number_is_an_error),
        cmocka_unit_test(the_state_of_the_core_can_be_reported_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

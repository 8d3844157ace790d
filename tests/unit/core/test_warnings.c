#include "core/record/warnings.h"

#include "base/mem.h"
#include "records.h"

// Whether a measurement of this record with these facts gets this warning and no other.
static bool warned(struct bilanx_record record, const struct warning_facts *facts, const char *code)
{
    record_judge(&record, facts);
    bool found = has_warning(&record, code);
    assert_int_equal(record.warning_count, found ? 1 : 0);
    if (found)
        assert_true(strlen(record.warnings[0].text) > 20);
    bilanx_record_done(&record);
    return found;
}
#define WARNED(code, record, ...) warned((record), &(struct warning_facts){__VA_ARGS__}, (code))

static void a_quiet_machine_gets_no_warnings(void **state)
{
    (void)state;
    struct bilanx_record record = MEASURED("[1e-4,1e-4,1e-4]", ",'overhead':1e-10");
    record_judge(&record, &(struct warning_facts){
                              .resolution_ns = 1, .governor = "performance", .busy_share = 0.05});
    assert_int_equal(record.warning_count, 0);
    bilanx_record_done(&record);
}

static void each_fact_has_its_warning(void **state)
{
    (void)state;
#define PLAIN MEASURED("[1e-4]", "")
    assert_true(WARNED("unoptimised-build", PLAIN, .unoptimised = true));
    assert_true(WARNED("cpu-frequency-scaling", PLAIN, .governor = "powersave"));
    assert_false(WARNED("cpu-frequency-scaling", PLAIN, .governor = ""));
    assert_true(WARNED("busy-machine", PLAIN, .busy_share = 0.11));
    assert_false(WARNED("busy-machine", PLAIN, .busy_share = 0.1));
}

static void a_busy_machine_leaves_a_verdict_standing(void **state)
{
    (void)state;
    struct bilanx_record decided = record_of("'kind':'verdict','verdict':'slower','change':0.1");
    struct bilanx_record open = record_of("'kind':'verdict','verdict':'undecided','change':0.1");
    record_judge_load(&decided, 0.5);
    record_judge_load(&open, 0.5);
    assert_non_null(strstr(decided.warnings[0].text, "the verdict holds"));
    assert_non_null(strstr(open.warnings[0].text, "stop it and measure again"));
    bilanx_record_done(&decided);
    bilanx_record_done(&open);
}

static void a_coarse_clock_is_reported(void **state)
{
    (void)state;
    assert_true(WARNED("clock-too-coarse", MEASURED("[99e-9]", ""), .resolution_ns = 1));
    assert_false(WARNED("clock-too-coarse", MEASURED("[101e-9]", ""), .resolution_ns = 1));
}

static void a_statement_as_fast_as_the_empty_loop_is_reported(void **state)
{
    (void)state;
#define LOOPED(time, number)                                                         \
    record_of("'kind':'measurement','raw_times':[" time "],'number_per_run':" number \
              ",'overhead':"                                                         \
              "1e-9")
    assert_true(WARNED("below-resolution", LOOPED("1.05e-6", "1000"), 0));
    assert_false(WARNED("below-resolution", LOOPED("1.2e-6", "1000"), 0));
    assert_false(WARNED("below-resolution", LOOPED("1e-9", "1"), 0));
    assert_false(WARNED("below-resolution", MEASURED("[1e-12]", ""), 0));  // no loop known
}

static void disturbed_batches_are_reported(void **state)
{
    (void)state;
#define DISTURBED(n)                                                                           \
    MEASURED("[1e-4]", ",'epochs':[{'time':1e-4,'batches':60,'disturbed':" n "},{'time':1e-4," \
                       "'batches':40,'disturbed':1}]")
    assert_true(WARNED("disturbed", DISTURBED("5"), 0));
    assert_false(WARNED("disturbed", DISTURBED("4"), 0));  // 5 of 100 are normal
}

#define BESIDE(core, free, time) \
    MEASURED("[1e-4]", ",'core':'" core "','neighbour':{'free':" free ",'time':" time "}")

static void a_different_time_beside_a_neighbour_is_reported(void **state)
{
    (void)state;
    assert_true(WARNED("neighbour", BESIDE("free", "0.75", "1.4e-4"), 0));
    assert_true(WARNED("neighbour", BESIDE("free", "0.75", "0.9e-4"), 0));
    assert_false(WARNED("neighbour", BESIDE("free", "0.75", "1.015e-4"), 0));  // hardly different
    assert_false(WARNED("neighbour", BESIDE("free", "0.75", "null"), 0));      // never seen
    assert_false(WARNED("neighbour", BESIDE("unknown", "0.75", "1.4e-4"), 0));
    AUTO(bilanx_record) struct bilanx_record record = BESIDE("free", "0.75", "1.4e-4");
    record_judge(&record, &(struct warning_facts){0});
    assert_non_null(strstr(record.warnings[0].text, "140 us"));
    assert_non_null(strstr(record.warnings[0].text, "busy for 25 %"));
}

static void a_time_beside_a_neighbour_is_reported_as_such(void **state)
{
    (void)state;
    static const char *const times[] = {"null", "1e-4", "0.5e-4"};
    for (size_t i = 0; i < LENGTH(times); i++) {
        AUTO(text) struct text members = {0};
        text_format(&members,
                    "'kind':'measurement','number_per_run':1,'raw_times':[1e-4],'core':'shared',"
                    "'neighbour':{'free':0.1,'time':%s}",
                    times[i]);
        AUTO(bilanx_record) struct bilanx_record record = record_of(text_get(&members));
        record_judge(&record, &(struct warning_facts){0});
        assert_int_equal(record.warning_count, 1);
        assert_string_equal(record.warnings[0].code, "core-shared");
        assert_non_null(strstr(record.warnings[0].text, "for 90 % of the time"));
        assert_int_equal(strstr(record.warnings[0].text, "50.0 us") != NULL, i == 2);
    }
}

static void without_readings_nothing_is_said_about_the_core(void **state)
{
    (void)state;
    assert_false(WARNED("core-shared", MEASURED("[1e-4]", ",'core':'shared'"), 0));
    assert_false(WARNED("neighbour", MEASURED("[1e-4]", ",'neighbour':{'time':1}"), 0));
}

static void setting_the_core_again_replaces_the_earlier_state(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = BESIDE("free", "0.75", "1.4e-4,'more':1");
    assert_non_null(record.neighbour->extra);
    record_set_core(
        &record, "shared",
        &(struct bilanx_neighbour){
            .free = .5, .time = NAN, .change = NAN, .interval = {NAN, NAN}, .epochs = 3});
    assert_string_equal(record.core, "shared");
    assert_near(record.neighbour->free, .5, 0);
    assert_int_equal(record.neighbour->epochs, 3);
    assert_null(record.neighbour->extra);
}

static void varying_times_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *times, *code;
    } cases[] = {
        {"[1,1,1,1.099,1.099]", NULL},
        {"[1,1,1,1.1,1.1]", "high-iqr"},
        {"[1,1,1,1.249,1.249]", "high-iqr"},
        {"[1,1,1,1.25,1.25]", "unreliable-iqr"},
        {"[0,0,0,0]", NULL},
        {"[0,0,0,1,1]", "unreliable-iqr"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(text) struct text members = {0};
        text_format(&members, "'kind':'measurement','number_per_run':1,'raw_times':%s",
                    cases[i].times);
        AUTO(bilanx_record) struct bilanx_record record = record_of(text_get(&members));
        assert_int_equal(record.warning_count, cases[i].code ? 1 : 0);
        if (cases[i].code)
            assert_string_equal(record.warnings[0].code, cases[i].code);
    }
}

#define THREE_EPOCHS(a, b, c)                                                               \
    MEASURED("[" a "," b "," c "]",                                                         \
             ",'method':'rigorous','epochs':[{'time':" a "},{'time':" b "},{'time':" c "}]" \
             ",'warnings':[{'code':'busy-machine','text':'true then'},{'code':'wide-interval'}]")

static void a_wide_interval_is_reported_first_and_once(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record wide = THREE_EPOCHS("1", "1.2", "1.5");
    assert_int_equal(wide.warning_count, 2);
    assert_string_equal(wide.warnings[0].code, "wide-interval");
    assert_non_null(strstr(wide.warnings[0].text, "from 3 epochs: measure longer"));
    assert_string_equal(wide.warnings[1].code, "busy-machine");
    AUTO(bilanx_record) struct bilanx_record narrow = THREE_EPOCHS("1", "1.01", "1.02");
    assert_int_equal(narrow.warning_count, 1);
    assert_string_equal(narrow.warnings[0].code, "busy-machine");
}

static void runs_have_an_interval_too(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = MEASURED("[1,1,1,2,2,2,3,3]", "");
    assert_int_equal(record.warning_count, 1);
    assert_string_equal(record.warnings[0].code, "wide-interval");
    assert_non_null(strstr(record.warnings[0].text, "from 8 runs"));
}

static void latencies_may_vary_without_a_warning(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1,1,1,9,9]", ",'latency':{'p50':1}");
    assert_int_equal(record.warning_count, 0);
}

static void reading_reassesses_the_spread_and_keeps_other_warnings(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1,1,1]", ",'warnings':[{'code':'high-iqr','text':'old'},"
                            "{'code':'busy-machine','text':'true then'},"
                            "{'code':'high-iqr','text':'older'},{'code':'unreliable-iqr'},"
                            "{'text':'without a code'}]");
    assert_int_equal(record.warning_count, 2);
    assert_string_equal(record.warnings[0].text, "true then");
    assert_string_equal(record.warnings[1].text, "without a code");
}

static void reading_keeps_the_order_of_warnings(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        MEASURED("[1,1,1,1.1,1.1]", ",'warnings':[{'code':'high-iqr','text':'old'},"
                                    "{'code':'busy-machine','text':'true then'}]");
    assert_int_equal(record.warning_count, 2);
    assert_string_equal(record.warnings[0].code, "high-iqr");
    assert_string_equal(record.warnings[1].code, "busy-machine");
}

static void each_code_warns_only_once(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = {0};
    record_warn(&record, "a", "%s", "100 %");
    record_warn(&record, "a", "again");
    record_warn(&record, "b", "other");
    record_warn(&record, NULL, "nothing");
    assert_int_equal(record.warning_count, 2);
    assert_string_equal(record.warnings[0].text, "100 %");
}

static void a_failure_says_what_where_and_why(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = {0};
    struct bilanx_error error = bilanx_error_make(BILANX_E_TIMED_OUT, "no answer");
    record_fail(&record, &error, "stmt", "");
    assert_json(&record, "{'schema':'bilanx/1','kind':'failure','error':{'code':'timed-out',"
                         "'phase':'stmt','text':'no answer'}}");
}

// Two groups by layout, one process far from all others, and a warning that came later.
static void summarizing_again_keeps_the_order_of_all_warnings(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("measurement")};
    struct bilanx_timing *timing = &record.timing;
    *timing = (struct bilanx_timing){.method = mem_text("rigorous"),
                                     .number_per_run = 1,
                                     .raw_times = mem_array(double, COUNT),
                                     .raw_count = COUNT,
                                     .epochs = mem_array(struct bilanx_epoch, COUNT),
                                     .epoch_count = COUNT};
    for (size_t i = 0; i < COUNT; i++) {
        timing->raw_times[i] = i == 5 ? 9e-9 : i % 2 ? 1.9e-9 : 2.2e-9;
        timing->epochs[i] =
            (struct bilanx_epoch){.time = timing->raw_times[i], .layout = i % 32 + 1};
    }
    record_summarize(&record);
    record_warn(&record, "later", "of another kind");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(record.warning_count, 3);
        assert_string_equal(record.warnings[0].code, "layout-groups");
        assert_string_equal(record.warnings[1].code, "rare-epochs");
        assert_string_equal(record.warnings[2].code, "later");
        record_summarize(&record);
    }
}

// Every process takes one of two times, in no order.
static struct bilanx_record two_speeds(const char *core)
{
    enum { COUNT = 32 };
    struct bilanx_record record = {.kind = mem_text("measurement"), .core = mem_text(core)};
    record.timing = (struct bilanx_timing){.method = mem_text("rigorous"),
                                           .number_per_run = 1,
                                           .raw_times = mem_array(double, COUNT),
                                           .raw_count = COUNT,
                                           .epochs = mem_array(struct bilanx_epoch, COUNT),
                                           .epoch_count = COUNT};
    for (size_t i = 0; i < COUNT; i++) {
        double time = i * 7 % 5 < 2 ? 2.2e-9 : 1.9e-9;
        record.timing.raw_times[i] = time;
        record.timing.epochs[i] = (struct bilanx_epoch){.time = time, .p25 = time, .p75 = time};
    }
    return record;
}

static void two_times_by_process_are_named_if_the_core_was_free(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = two_speeds("free");
    record_summarize(&record);
    assert_int_equal(record_groups(&record).by, GROUPS_BY_PROCESS);
    assert_int_equal(record.warning_count, 1);
    assert_string_equal(record.warnings[0].code, "process-groups");
    assert_non_null(
        strstr(record.warnings[0].text, "takes 1.90 ns in 19 of 32 processes and 2.20 ns"));
}

static void rare_times_have_a_direction(void **state)
{
    (void)state;
    static const double furthest[] = {9e-9, .9e-9};
    static const char *const said[] = {
        "1 of 32 processes took a very different time (up to 9.00 ns)", "(down to 0.900 ns)"};
    for (size_t i = 0; i < LENGTH(furthest); i++) {
        AUTO(bilanx_record) struct bilanx_record record = two_speeds("free");
        for (size_t k = 0; k < record.timing.raw_count; k++)
            record.timing.raw_times[k] = record.timing.epochs[k].time =
                2e-9 + (double)(k % 3) * 1e-12;
        record.timing.raw_times[9] = record.timing.epochs[9].time = furthest[i];
        record_summarize(&record);
        assert_string_equal(record.warnings[0].code, "rare-epochs");
        assert_non_null(strstr(record.warnings[0].text, said[i]));
    }
}

static void they_are_not_named_beside_a_neighbour_or_in_a_single_process(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record shared = two_speeds("shared"),
                                             alone = two_speeds("free");
    record_summarize(&shared);
    assert_int_equal(record_groups(&shared).by, GROUPS_NONE);
    for (size_t i = 0; i < shared.warning_count; i++)
        assert_string_not_equal(shared.warnings[i].code, "process-groups");
    record_warn(&alone, "one-process", "all epochs ran in one process");
    record_summarize(&alone);
    assert_int_equal(record_groups(&alone).by, GROUPS_NONE);
}

static void assert_warning(struct bilanx_record record, const struct warning_facts *facts,
                           const char *code, const char *text)
{
    record_judge(&record, facts);
    assert_int_equal(record.warning_count, text ? 1 : 0);
    if (text) {
        assert_string_equal(record.warnings[0].code, code);
        assert_string_equal(record.warnings[0].text, text);
    }
    bilanx_record_done(&record);
}
#define NO_FACTS (&(struct warning_facts){0})

static void a_coarse_clock_is_compared_with_whole_blocks(void **state)
{
    (void)state;
    const struct warning_facts facts = {.resolution_ns = 30};
    assert_warning(record_of("'kind':'measurement','number_per_run':100,'raw_times':[3.1e-6]"),
                   &facts, "clock-too-coarse", NULL);
    assert_warning(
        record_of("'kind':'measurement','number_per_run':100,'raw_times':[2.9e-6]"), &facts,
        "clock-too-coarse",
        "a timed interval of 2900 ns is under 100 steps of the clock (30 ns each): use a "
        "larger --number");
    assert_warning(MEASURED("[2.9e-6]", ",'latency':{'p50':1}"), &facts, "clock-too-coarse",
                   "a timed interval of 2900 ns is under 100 steps of the clock (30 ns each): read "
                   "the percentiles with that in mind, or use another method");
}

static void the_empty_loop_is_named_with_its_time(void **state)
{
    (void)state;
    assert_warning(LOOPED("1.05e-6", "1000"), NO_FACTS, "below-resolution",
                   "takes no longer than the empty loop (1.00 ns per iteration): the statement may "
                   "have been optimised away; BILANX_KEEP its result");
    assert_warning(LOOPED("2.1e-9", "2"), NO_FACTS, "below-resolution",
                   "takes no longer than the empty loop (1.00 ns per iteration): the statement may "
                   "have been optimised away; BILANX_KEEP its result");
    assert_warning(
        record_of("'kind':'measurement','raw_times':[1e-6],'number_per_run':1000,'overhead':1e-9,"
                  "'latency':{'p50':1}"),
        NO_FACTS, "below-resolution", NULL);
}

static void interrupted_batches_are_a_share_of_all_that_were_run(void **state)
{
    (void)state;
    static const char text[] =
        "other work on this CPU interrupted 25 % of the batches: stop it, or "
        "keep a CPU free (see 'bilanx doctor')";
    assert_warning(MEASURED("[1e-4]", ",'epochs':[{'time':1e-4,'batches':60,'disturbed':25},"
                                      "{'time':1e-4,'batches':30,'off_pace':10,'disturbed':0}]"),
                   NO_FACTS, "disturbed", text);
    assert_warning(MEASURED("[1e-4]", ",'epochs':[{'time':1e-4,'batches':1,'off_pace':99,"
                                      "'disturbed':5}]"),
                   NO_FACTS, "disturbed", NULL);
    assert_warning(MEASURED("[1e-4]", ",'epochs':[{'time':1e-4}]"), NO_FACTS, "disturbed", NULL);
}

static void two_percent_beside_a_neighbour_are_worth_saying(void **state)
{
    (void)state;
    assert_warning(BESIDE("free", "0.75", "1.03e-4"), NO_FACTS, "neighbour",
                   "100.0 us with the core to itself, 103 us beside a neighbour that was busy for "
                   "25 % of the time");
    assert_true(WARNED("neighbour", BESIDE("free", "0.75", "0.97e-4"), 0));
    assert_false(WARNED("neighbour", BESIDE("free", "0.75", "1.019e-4"), 0));
    assert_false(WARNED("neighbour", BESIDE("free", "0.75", "0.981e-4"), 0));
    assert_warning(BESIDE("shared", "0.2", "1e-4"), NO_FACTS, "core-shared",
                   "another thread used this core for 80 % of the time, and this time includes its "
                   "effect; with the core to itself, it may be shorter");
    assert_warning(BESIDE("shared", "0.2", "0.9e-4"), NO_FACTS, "core-shared",
                   "another thread used this core for 80 % of the time, and this is what it takes "
                   "beside such a neighbour; with the core to itself, about 90.0 us");
}

static void times_too_short_to_be_real_are_not_compared(void **state)
{
    (void)state;
#define TINY(time, beside) \
    MEASURED("[" time "]", ",'core':'free','neighbour':{'free':0.5,'time':" beside "}")
    assert_false(WARNED("neighbour", TINY("9e-12", "5e-11"), 0));
    assert_false(WARNED("neighbour", TINY("5e-11", "9e-12"), 0));
    assert_true(WARNED("neighbour", TINY("1.5e-11", "5e-11"), 0));
    assert_true(WARNED("neighbour", TINY("5e-11", "1.5e-11"), 0));
}

static void other_work_is_a_share_of_the_machine(void **state)
{
    (void)state;
    const struct warning_facts facts = {.busy_share = .123};
    assert_warning(
        PLAIN, &facts, "busy-machine",
        "other work used 12 % of this machine's CPUs during the measurement: stop it and "
        "measure again");
    AUTO(bilanx_record) struct bilanx_record decided =
        record_of("'kind':'verdict','verdict':'same','change':0");
    record_judge_load(&decided, .123);
    assert_string_equal(decided.warnings[0].text,
                        "other work used 12 % of this machine's CPUs during the comparison: the "
                        "verdict holds, as both sides met it alike; without it, the interval would "
                        "be narrower");
    record_judge_load(&decided, .1);
    AUTO(bilanx_record) struct bilanx_record quiet =
        record_of("'kind':'verdict','verdict':'same','change':0");
    record_judge_load(&quiet, .1);
    assert_int_equal(quiet.warning_count, 0);
}

static void spreads_are_in_percent(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record high = MEASURED("[1,1,1,1.12,1.12]", "");
    assert_string_equal(high.warnings[0].text,
                        "the times vary by 12 % (interquartile range over median): treat smaller "
                        "differences as noise, or measure longer");
    AUTO(bilanx_record) struct bilanx_record unreliable = MEASURED("[1,1,1,1.4,1.4]", "");
    assert_non_null(strstr(unreliable.warnings[0].text, "the times vary by 40 % (inter"));
    // The first and the last of six: 1 to 1.6 around 1.25, which is 24 % to either side.
    AUTO(bilanx_record) struct bilanx_record wide = MEASURED("[1,1.2,1.2,1.3,1.3,1.6]", "");
    assert_non_null(
        strstr(wide.warnings[0].text, "the time is only known to within 24 %, from 6 runs"));
    // 9 % to either side, but the times in the middle hardly vary.
    AUTO(bilanx_record) struct bilanx_record narrow = MEASURED("[0.91,1,1,1,1,1.09]", "");
    assert_int_equal(narrow.warning_count, 0);
    AUTO(bilanx_record) struct bilanx_record wider = MEASURED("[0.89,1,1,1,1,1.12]", "");
    assert_int_equal(wider.warning_count, 1);
}

static void summarize_groups(struct bilanx_record *record, double outlier)
{
    enum { COUNT = 64 };
    *record = (struct bilanx_record){.kind = mem_text("measurement")};
    record->timing = (struct bilanx_timing){.method = mem_text("rigorous"),
                                            .number_per_run = 1,
                                            .raw_times = mem_array(double, COUNT),
                                            .raw_count = COUNT,
                                            .epochs = mem_array(struct bilanx_epoch, COUNT),
                                            .epoch_count = COUNT};
    for (size_t i = 0; i < COUNT; i++) {
        record->timing.raw_times[i] = i == 5 ? outlier : i % 4 ? 1.9e-9 : 2.2e-9;
        record->timing.epochs[i].layout = i % 32 + 1;
    }
    record_summarize(record);
}

static void groups_and_rare_epochs_are_named_with_their_times(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record;
    summarize_groups(&record, 9e-9);
    assert_int_equal(record.warning_count, 2);
    assert_string_equal(
        record.warnings[0].text,
        "takes 1.90 ns in 24 of 32 code layouts and 2.20 ns in the others: the speed "
        "depends on where functions are placed, and a given build has one of the two");
    assert_string_equal(
        record.warnings[1].text,
        "1 of 64 processes took a very different time (up to 9.00 ns), and count only as "
        "much as the furthest of the others: something that each process draws anew, "
        "such as addresses, matters here");
}

static void warnings_of_groups_go_with_the_groups(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record;
    summarize_groups(&record, 9e-9);
    for (size_t i = 0; i < record.timing.raw_count; i++)
        record.timing.raw_times[i] = 2e-9;
    record_summarize(&record);
    assert_int_equal(record.warning_count, 0);
}

static void a_failure_keeps_its_output(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("measurement")};
    struct bilanx_error error = bilanx_error_make(BILANX_E_CRASHED, "signal 11");
    record_fail(&record, &error, "setup", "its last words");
    assert_json(&record, "{'schema':'bilanx/1','kind':'failure','error':{'code':'crashed',"
                         "'phase':'setup','text':'signal 11','output':'its last words'}}");
    AUTO(bilanx_record) struct bilanx_record silent = {0};
    record_fail(&silent, &error, "setup", NULL);
    assert_null(silent.error->output);
}

static void a_failure_has_a_word(void **state)
{
    (void)state;
    static const struct {
        const char *code, *phase, *word;
    } cases[] = {{"crashed", "stmt", "crashed"},
                 {"system", "start", "cannot start"},
                 {"system", "stmt", "failed"},
                 {"timed-out", "start", "timed-out"}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(record_failure_word(&(struct bilanx_failure){
                                .code = (char *)cases[i].code, .phase = (char *)cases[i].phase}),
                            cases[i].word);
    struct bilanx_failure exited = {.code = (char *)"exited",
                                    .text = (char *)"exited with status 1"};
    assert_true(record_failure_names_itself(&exited));
    exited.text = (char *)"status 1: exited";
    assert_false(record_failure_names_itself(&exited));
    exited.text = NULL;
    assert_false(record_failure_names_itself(&exited));
}

static void only_skipped_records_were_skipped(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record skipped =
        record_of("'kind':'failure','error':{'code':'skipped'}");
    AUTO(bilanx_record) struct bilanx_record failed =
        record_of("'kind':'failure','error':{'code':'failed'}");
    AUTO(bilanx_record) struct bilanx_record measured = MEASURED("[1]", "");
    assert_true(record_skipped(&skipped));
    assert_false(record_skipped(&failed));
    assert_false(record_skipped(&measured));
}

static void taking_warnings_keeps_those_of_the_taker(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record into = {0}, from = {0};
    record_warn(&into, "a", "mine");
    record_warn(&from, "b", "new");
    record_warn(&from, "a", "yours");
    record_warn(&from, "c", "last");
    record_take_warnings(&into, &from);
    assert_int_equal(from.warning_count, 0);
    assert_int_equal(into.warning_count, 3);
    assert_string_equal(into.warnings[0].text, "mine");
    assert_string_equal(into.warnings[1].text, "new");
    assert_string_equal(into.warnings[2].text, "last");
    record_drop_warning(&into, "b");
    record_drop_warning(&into, "absent");
    assert_int_equal(into.warning_count, 2);
    assert_string_equal(into.warnings[1].text, "last");
}

static void what_was_not_measured_is_not_summarized(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record other =
        record_of("'kind':'counts','number_per_run':1,'raw_times':[1,9,1,9]");
    record_summarize(&other);
    assert_near(other.stats.median, 0, 0);
    assert_int_equal(other.warning_count, 0);
    AUTO(bilanx_record) struct bilanx_record fresh = {.kind = mem_text("measurement")};
    fresh.timing = (struct bilanx_timing){
        .number_per_run = 1, .raw_times = mem_array(double, 1), .raw_count = 1};
    record_summarize(&fresh);
    assert_true(isnan(fresh.stats.marginal));
    fresh.stats.marginal = 3;
    record_summarize(&fresh);
    assert_near(fresh.stats.marginal, 3, 0);
}

static void the_state_of_the_core_is_set_without_an_earlier_one(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = {0};
    record_set_core(&record, "free", &(struct bilanx_neighbour){.free = .25, .epochs = 2});
    assert_string_equal(record.core, "free");
    assert_near(record.neighbour->free, .25, 0);
    assert_int_equal(record.neighbour->epochs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summarizing_again_keeps_the_order_of_all_warnings),
        cmocka_unit_test(a_quiet_machine_gets_no_warnings),
        cmocka_unit_test(each_fact_has_its_warning),
        cmocka_unit_test(a_busy_machine_leaves_a_verdict_standing),
        cmocka_unit_test(a_coarse_clock_is_reported),
        cmocka_unit_test(a_statement_as_fast_as_the_empty_loop_is_reported),
        cmocka_unit_test(disturbed_batches_are_reported),
        cmocka_unit_test(a_different_time_beside_a_neighbour_is_reported),
        cmocka_unit_test(a_time_beside_a_neighbour_is_reported_as_such),
        cmocka_unit_test(without_readings_nothing_is_said_about_the_core),
        cmocka_unit_test(setting_the_core_again_replaces_the_earlier_state),
        cmocka_unit_test(two_times_by_process_are_named_if_the_core_was_free),
        cmocka_unit_test(rare_times_have_a_direction),
        cmocka_unit_test(they_are_not_named_beside_a_neighbour_or_in_a_single_process),
        cmocka_unit_test(varying_times_are_reported),
        cmocka_unit_test(a_wide_interval_is_reported_first_and_once),
        cmocka_unit_test(runs_have_an_interval_too),
        cmocka_unit_test(latencies_may_vary_without_a_warning),
        cmocka_unit_test(reading_reassesses_the_spread_and_keeps_other_warnings),
        cmocka_unit_test(reading_keeps_the_order_of_warnings),
        cmocka_unit_test(each_code_warns_only_once),
        cmocka_unit_test(a_failure_says_what_where_and_why),
        cmocka_unit_test(a_coarse_clock_is_compared_with_whole_blocks),
        cmocka_unit_test(the_empty_loop_is_named_with_its_time),
        cmocka_unit_test(interrupted_batches_are_a_share_of_all_that_were_run),
        cmocka_unit_test(two_percent_beside_a_neighbour_are_worth_saying),
        cmocka_unit_test(times_too_short_to_be_real_are_not_compared),
        cmocka_unit_test(other_work_is_a_share_of_the_machine),
        cmocka_unit_test(spreads_are_in_percent),
        cmocka_unit_test(groups_and_rare_epochs_are_named_with_their_times),
        cmocka_unit_test(warnings_of_groups_go_with_the_groups),
        cmocka_unit_test(a_failure_keeps_its_output),
        cmocka_unit_test(a_failure_has_a_word),
        cmocka_unit_test(only_skipped_records_were_skipped),
        cmocka_unit_test(taking_warnings_keeps_those_of_the_taker),
        cmocka_unit_test(what_was_not_measured_is_not_summarized),
        cmocka_unit_test(the_state_of_the_core_is_set_without_an_earlier_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

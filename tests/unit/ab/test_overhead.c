#include "ab/verdict/overhead.h"

#include "base/mem.h"
#include "records.h"

// Epochs record the time of the case; 3 us against 2 us.
#define VERDICT(interval, epochs, changes)                                                      \
    record_of("'kind':'verdict','task':{'stmt':'s'},'verdict':'slower','change':0.5,'interval'" \
              ":" interval ",'times':[2e-6,3e-6],'epochs':" epochs ",'changes':" changes)
#define EPOCH(time) "{'time':" time ",'batches':9}"
#define LN_1_5 "0.4054651081081644"

static void an_overhead_is_the_difference_of_the_times(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        VERDICT("[0.49,0.52]", "[" EPOCH("3e-6") "," EPOCH("3e-6") "]", "[" LN_1_5 "," LN_1_5 "]");
    struct overhead_result result = {.overhead = overhead_of_verdict(&record, "other")};
    assert_non_null(result.overhead);
    assert_string_equal(result.overhead->to, "other");
    assert_near(result.overhead->estimate, 1e-6, 1e-12);
    assert_near(result.overhead->ci95[0], .98e-6, 1e-12);
    assert_near(result.overhead->ci95[1], 1.04e-6, 1e-12);
    assert_int_equal(result.overhead->epochs, 2);
    overhead_result_done(&result);
}

// The same changes, but of times that vary.
static void doubt_about_the_time_of_the_other_case_widens_the_interval(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = VERDICT(
        "[0.49,0.52]", "[" EPOCH("2.9e-6") "," EPOCH("3.1e-6") "]", "[" LN_1_5 "," LN_1_5 "]");
    struct overhead_result result = {.overhead = overhead_of_verdict(&record, "other")};
    assert_true(result.overhead->ci95[0] < .9e-6 && result.overhead->ci95[1] > 1.1e-6);
    overhead_result_done(&result);
}

static void without_an_interval_nothing_is_known(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        record_of("'kind':'verdict','task':{'stmt':'s'},'verdict':'undecided','times':[2e-6,3e-6]");
    assert_null(overhead_of_verdict(&record, "other"));
}

static void the_doubts_about_both_add_like_independent_errors(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = VERDICT(
        "[0.49,0.52]", "[" EPOCH("2.9e-6") "," EPOCH("3.1e-6") "]", "[" LN_1_5 "," LN_1_5 "]");
    struct overhead_result result = {.overhead = overhead_of_verdict(&record, "other")};
    // Two logarithms apart by ln(31/29): t(.975; 1) times half of that, as a share of 1 us.
    double doubt = 12.7062047362 * log(3.1 / 2.9) / 2 * 1e-6;
    double below = 1e-6 - .49 * 2e-6, above = .52 * 2e-6 - 1e-6;
    assert_near(result.overhead->ci95[0], 1e-6 - sqrt(below * below + doubt * doubt), 1e-14);
    assert_near(result.overhead->ci95[1], 1e-6 + sqrt(above * above + doubt * doubt), 1e-14);
    result.reason = mem_text("too few epochs");
    overhead_result_done(&result);
    assert_null(result.overhead);
    assert_null(result.reason);
}

// Fewer than two epochs, or not one for each change, say nothing about the first side.
static void without_epochs_only_the_change_is_in_doubt(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record one =
        VERDICT("[0.49,0.52]", "[" EPOCH("2.9e-6") "]", "[" LN_1_5 "]");
    AUTO(bilanx_record) struct bilanx_record other =
        VERDICT("[0.49,0.52]", "[" EPOCH("2.9e-6") "," EPOCH("3.1e-6") "]", "[" LN_1_5 "]");
    const struct bilanx_record *records[] = {&one, &other};
    for (size_t i = 0; i < LENGTH(records); i++) {
        struct overhead_result result = {.overhead = overhead_of_verdict(records[i], "other")};
        assert_near(result.overhead->ci95[0], .98e-6, 1e-13);
        assert_near(result.overhead->ci95[1], 1.04e-6, 1e-13);
        assert_int_equal(result.overhead->epochs, 1);
        overhead_result_done(&result);
    }
}

static void a_case_may_take_less_than_the_other(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        record_of("'kind':'verdict','task':{'stmt':'s'},'verdict':'faster','change':-0.5,"
                  "'interval':[-0.52,-0.49],'times':[2e-6,1e-6]");
    struct overhead_result result = {.overhead = overhead_of_verdict(&record, "other")};
    assert_near(result.overhead->estimate, -1e-6, 1e-18);
    assert_near(result.overhead->ci95[0], -1.04e-6, 1e-13);
    assert_near(result.overhead->ci95[1], -.98e-6, 1e-13);
    overhead_result_done(&result);
    AUTO(bilanx_record) struct bilanx_record measured = MEASURED("[1]", "");
    assert_null(overhead_of_verdict(&measured, "other"));
    AUTO(bilanx_record) struct bilanx_record timeless =
        record_of("'kind':'verdict','verdict':'same','change':0,'interval':[-0.1,0.1]");
    assert_null(overhead_of_verdict(&timeless, "other"));
    for (int end = 0; end < 2; end++) {
        AUTO(bilanx_record) struct bilanx_record open =
            record_of("'kind':'verdict','verdict':'undecided','change':0,'interval':[-0.1,0.1],"
                      "'times':[1,1]");
        open.verdict->interval[end] = end ? INFINITY : -INFINITY;
        assert_null(overhead_of_verdict(&open, "other"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overhead_is_the_difference_of_the_times),
        cmocka_unit_test(doubt_about_the_time_of_the_other_case_widens_the_interval),
        cmocka_unit_test(without_an_interval_nothing_is_known),
        cmocka_unit_test(the_doubts_about_both_add_like_independent_errors),
        cmocka_unit_test(without_epochs_only_the_change_is_in_doubt),
        cmocka_unit_test(a_case_may_take_less_than_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overhead_is_the_difference_of_the_times),
        cmocka_unit_test(doubt_about_the_time_of_the_other_case_widens_the_interval),
        cmocka_unit_test(without_an_interval_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every public function, called as its header forbids: with NULL, garbage, and freed objects. The
// outcome is an error with a message or nothing at all, never a crash. Each case runs in a fork, so
// that one that crashes is named. check_headers.py checks that no function is missing.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bilanx/ab.h"
#include "bilanx/compare.h"
#include "bilanx/convert.h"
#include "bilanx/count.h"
#include "bilanx/counts.h"
#include "bilanx/doctor.h"
#include "bilanx/fuzzer.h"
#include "bilanx/record.h"
#include "bilanx/run.h"
#include "bilanx/suite.h"
#include "bilanx/tensor.h"
#include "bilanx/timer.h"
#include "bilanx/version.h"
#include "own_cache.h"
#include "unit.h"

static const char GARBAGE[] = "\x01\xff{]\"%s%n\n: - \x7f(";

static int faults;  // of the case so far, in its own process

static void judge(const char *what, int status)
{
    if (WIFSIGNALED(status))
        fprintf(stderr, "# %s: signal %d\n", what, WTERMSIG(status));
    else if (WEXITSTATUS(status))
        fprintf(stderr, "# %s: status %d\n", what, WEXITSTATUS(status));
    faults += status != 0;
}

// cmocka catches these, and would go on with its next test in the fork.
static pid_t fork_without_handlers(void)
{
    static const int caught[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    fflush(NULL);
    pid_t child = fork();
    for (size_t i = 0; child == 0 && i < LENGTH(caught); i++)
        signal(caught[i], SIG_DFL);
    return child;
}

// Runs a statement in a fork, so that all faults of a case are seen at once.
#define ALONE(what, ...)                          \
    do {                                          \
        int status_ = -1;                         \
        pid_t child_ = fork_without_handlers();   \
        if (child_ == 0) {                        \
            alarm(20); /* what hangs fails too */ \
            __VA_ARGS__;                          \
            _exit(0);                             \
        }                                         \
        waitpid(child_, &status_, 0);             \
        judge(what, status_);                     \
    } while (0)
#define BEARS(...) ALONE(#__VA_ARGS__, (void)(__VA_ARGS__))
#define MUST(...) ALONE(#__VA_ARGS__, if (!(__VA_ARGS__)) _exit(2))
// Returns an error that says something.
#define REFUSES(...)                                              \
    ALONE(#__VA_ARGS__, struct bilanx_error error_ = __VA_ARGS__; \
          if (error_.status == BILANX_OK || !*error_.text) _exit(3))

// The setup of a case.
#define READY(...)                                  \
    do {                                            \
        struct bilanx_error error_ = __VA_ARGS__;   \
        if (error_.status != BILANX_OK) {           \
            fprintf(stderr, "# %s\n", error_.text); \
            _exit(4);                               \
        }                                           \
    } while (0)

static const char *absent(void)  // a format that the compiler does not know to be NULL
{
    static const char *volatile nothing;
    return nothing;
}

static void error(void)
{
    struct bilanx_error made = bilanx_error_make(BILANX_E_USAGE, absent(), 1);
    MUST(made.status == BILANX_E_USAGE);
    MUST(bilanx_status_code((enum bilanx_status)9999));
    MUST(bilanx_version());
}

static void run(void)
{
    const char *const stmts[] = {GARBAGE, NULL}, *const none[] = {NULL};
    struct bilanx_run_options options = {.stmts = stmts};
    struct bilanx_record *records;
    size_t count;
    REFUSES(bilanx_run(NULL, &records, &count));
    REFUSES(bilanx_run(&options, NULL, &count));
    REFUSES(bilanx_run(&options, &records, NULL));
    REFUSES(bilanx_run(&(struct bilanx_run_options){0}, &records, &count));
    REFUSES(bilanx_run(&(struct bilanx_run_options){.stmts = none}, &records, &count));
    const char **texts[] = {&options.language, &options.method, &options.filter, &options.inputs};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        *texts[i] = GARBAGE;
        REFUSES(bilanx_run(&options, &records, &count));
        *texts[i] = NULL;
    }
    REFUSES(bilanx_run(&(struct bilanx_run_options){.suites = stmts}, &records, &count));
    REFUSES(bilanx_run(&(struct bilanx_run_options){.programs = stmts}, &records, &count));
}

static void counting(void)
{
    const char *const stmts[] = {GARBAGE, NULL};
    struct bilanx_run_options what = {.stmts = stmts};
    struct bilanx_record *records;
    size_t count;
    REFUSES(bilanx_count(NULL, NULL, &records, &count));
    REFUSES(bilanx_count(&what, NULL, NULL, &count));
    REFUSES(bilanx_count(&what, NULL, &records, NULL));
    REFUSES(
        bilanx_count(&what, &(struct bilanx_count_options){.hwcaps = GARBAGE}, &records, &count));
}

static void ab(void)
{
    const struct bilanx_ab_side sides[] = {{"A", GARBAGE, NULL}, {"B", GARBAGE, "x"}},
                                same[] = {{"A", NULL, NULL}, {"A", NULL, NULL}};
    const char *const stmts[] = {"1", NULL};
    struct bilanx_ab_options options = {.stmts = stmts};
    struct bilanx_record *records;
    size_t count;
    REFUSES(bilanx_ab(NULL, 2, &options, &records, &count));
    REFUSES(bilanx_ab(NULL, 0, &options, &records, &count));
    REFUSES(bilanx_ab(sides, 2, &options, &records, &count));
    REFUSES(bilanx_ab(sides, 1, &options, &records, &count));
    REFUSES(bilanx_ab(same, 2, &options, &records, &count));
    REFUSES(bilanx_ab(sides, 2, NULL, &records, &count));
    REFUSES(bilanx_ab(sides, 2, &options, NULL, &count));
    REFUSES(bilanx_ab(sides, 2, &options, &records, NULL));
}

static void body(void *context, uint64_t n)
{
    for (volatile uint64_t i = (context != NULL); i < n; i++)
        continue;
}

static void timer(void)
{
    const struct bilanx_timer good = {.body = body}, empty = {0};
    struct bilanx_timing timing = {0};
    const double wrong[] = {-1, NAN, INFINITY, 1e300};
    REFUSES(bilanx_timeit(NULL, 1, &timing));
    REFUSES(bilanx_timeit(&empty, 1, &timing));
    REFUSES(bilanx_timeit(&good, 0, &timing));
    REFUSES(bilanx_timeit(&good, 1, NULL));
    REFUSES(bilanx_repeat(NULL, 1, 1, &timing));
    REFUSES(bilanx_repeat(&good, 0, 1, &timing));
    REFUSES(bilanx_repeat(&good, UINT64_MAX, 1, &timing));
    REFUSES(bilanx_repeat(&good, 1, 1, NULL));
    REFUSES(bilanx_blocked_autorange(NULL, 0, &timing));
    REFUSES(bilanx_blocked_autorange(&good, 0, NULL));
    REFUSES(bilanx_adaptive_autorange(NULL, 0, 0, 0, &timing));
    REFUSES(bilanx_adaptive_autorange(&good, 0, 0, 0, NULL));
    REFUSES(bilanx_rigorous(NULL, 0, &timing));
    REFUSES(bilanx_rigorous(&good, 0, NULL));
    REFUSES(bilanx_latency(NULL, 0, &timing));
    REFUSES(bilanx_latency(&good, 0, NULL));
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        REFUSES(bilanx_blocked_autorange(&good, wrong[i], &timing));
        REFUSES(bilanx_adaptive_autorange(&good, 0, wrong[i], 0, &timing));
        REFUSES(bilanx_adaptive_autorange(&good, 0, 0, wrong[i], &timing));
        REFUSES(bilanx_adaptive_autorange(&good, wrong[i], 0, 0, &timing));
        REFUSES(bilanx_rigorous(&good, wrong[i], &timing));
        REFUSES(bilanx_latency(&good, wrong[i], &timing));
    }
}

static void statement(void)
{
    struct bilanx_record record = {0};
    REFUSES(bilanx_time_statement(NULL, &record));
    REFUSES(bilanx_time_statement(&(struct bilanx_statement){0}, &record));
    REFUSES(bilanx_time_statement(&(struct bilanx_statement){"1"}, NULL));
    REFUSES(bilanx_time_statement(&(struct bilanx_statement){"1", .language = GARBAGE}, &record));
    REFUSES(bilanx_time_statement(&(struct bilanx_statement){"1", .method = GARBAGE}, &record));
    BEARS(bilanx_record_done(&record));
}

static void timing(void)
{
    struct bilanx_timing none = {0};
    struct bilanx_stats stats;
    double second = 1;
    BEARS(bilanx_timing_done(NULL));
    bilanx_timing_done(&none);
    bilanx_timing_done(&none);
    BEARS(bilanx_timing_summarize(NULL, &stats));
    BEARS(bilanx_timing_summarize(&none, NULL));
    BEARS(bilanx_timing_summarize(&none, &stats));
    BEARS(bilanx_timing_cpu(NULL));
    BEARS(bilanx_timing_cpu(&none));
    BEARS(bilanx_epoch_make(NULL, 0, 1));
    BEARS(bilanx_epoch_make(NULL, 3, 1));
    BEARS(bilanx_epoch_make(&second, 1, 0));
}

static void record(void)
{
    struct bilanx_record record = {0}, *records;
    size_t count;
    BEARS(bilanx_record_done(NULL));
    bilanx_record_done(&record);
    bilanx_record_done(&record);
    BEARS(free(bilanx_record_json(NULL)));
    BEARS(free(bilanx_record_json(&record)));
    MUST(!bilanx_record_replicates(NULL, &record));
    MUST(!bilanx_record_replicates(&record, NULL));
    MUST(bilanx_record_merge(NULL, 0) == 0);
    MUST(bilanx_record_merge(NULL, 2) == 0);
    REFUSES(bilanx_record_read_file(NULL, &records, &count));
    REFUSES(bilanx_record_read_file("/nonexistent", NULL, &count));
    REFUSES(bilanx_record_read_file("/nonexistent", &records, NULL));
    REFUSES(bilanx_record_read_file(GARBAGE, &records, &count));
    REFUSES(bilanx_record_read(NULL, 3, "here", &record));
    REFUSES(bilanx_record_read("{}", 2, NULL, &record));
    REFUSES(bilanx_record_read("{}", 2, "here", NULL));
    REFUSES(bilanx_record_read(GARBAGE, sizeof GARBAGE, "here", &record));
}

static void record_freed_twice(void)
{
    static const char JSON[] =
        "{\"schema\": \"bilanx/1\", \"kind\": \"measurement\", \"task\": {\"stmt\": \"x\"}, "
        "\"number_per_run\": 1, \"raw_times\": [1, 2], \"warnings\": [{\"code\": \"a\", \"text\": "
        "\"b\"}], \"own\": 1}";
    struct bilanx_record record;
    READY(bilanx_record_read(JSON, strlen(JSON), "here", &record));
    bilanx_record_done(&record);
    bilanx_record_done(&record);
    BEARS(free(bilanx_record_json(&record)));
}

static void compare(void)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    struct bilanx_record record = {0};
    BEARS(bilanx_compare_add(NULL, &record, NULL));
    BEARS(bilanx_compare_add(compare, NULL, NULL));
    bilanx_compare_add(compare, &record, NULL);
    REFUSES(bilanx_compare_print(NULL, NULL, stdout));
    REFUSES(bilanx_compare_print(compare, NULL, NULL));
    BEARS(bilanx_compare_print(compare, NULL, stderr));
    bilanx_compare_print(
        compare, &(struct bilanx_compare_options){.style = 99, .format = 99, .colorize = 99},
        stderr);
    BEARS(bilanx_compare_free(NULL));
    bilanx_compare_free(compare);
}

static struct bilanx_error take(void *context, struct bilanx_record *record)
{
    (void)context;
    BEARS(bilanx_record_done(record));
    return BILANX_SUCCESS;
}

static void convert(void)
{
    const struct bilanx_format *format;
    struct bilanx_record record = {0};
    MUST(!bilanx_convert_format(SIZE_MAX));
    REFUSES(bilanx_convert_find(NULL, &format));
    REFUSES(bilanx_convert_find("csv", NULL));
    REFUSES(bilanx_convert_find(GARBAGE, &format));
    MUST(!bilanx_convert_format_of(NULL));
    MUST(!bilanx_convert_format_of(GARBAGE));
    BEARS(bilanx_convert_recognise(NULL));
    BEARS(bilanx_convert_recognise(GARBAGE));
    REFUSES(bilanx_convert_read(NULL, NULL, take, NULL));
    REFUSES(bilanx_convert_read("/nonexistent", NULL, NULL, NULL));
    REFUSES(bilanx_convert_read("/nonexistent", GARBAGE, take, NULL));
    REFUSES(bilanx_convert_write(NULL, &record, 1, stderr, NULL, NULL));
    REFUSES(bilanx_convert_write(GARBAGE, &record, 1, stderr, NULL, NULL));
    REFUSES(bilanx_convert_write("google", NULL, 1, stderr, NULL, NULL));
    REFUSES(bilanx_convert_write("google", &record, 1, NULL, NULL, NULL));
    for (size_t i = 0; (format = bilanx_convert_format(i)); i++)
        bilanx_convert_write(format->name, &record, 1, stderr, NULL, NULL);
}

static void counts(void)
{
    struct bilanx_counts *parts, none = {0};
    size_t count;
    REFUSES(bilanx_counts_read(NULL, &parts, &count));
    REFUSES(bilanx_counts_read("/nonexistent", NULL, &count));
    REFUSES(bilanx_counts_read("/nonexistent", &parts, NULL));
    REFUSES(bilanx_counts_read(GARBAGE, &parts, &count));
    BEARS(bilanx_counts_done(NULL));
    bilanx_counts_done(&none);
    bilanx_counts_done(&none);
    BEARS(bilanx_noise_list(NULL));
}

static void functions_of_nothing(void)
{
    const struct bilanx_functions none = {0};
    MUST(bilanx_functions_of(NULL, true).count == 0);
    MUST(bilanx_functions_make(NULL, 0, true).count == 0);
    MUST(bilanx_functions_make(NULL, 5, true).count == 0);
    MUST(bilanx_functions_slice(NULL, 0, 1).count == 0);
    MUST(bilanx_functions_slice(&none, 5, 9).count == 0);
    MUST(bilanx_functions_scale(NULL, 2).count == 0);
    MUST(bilanx_functions_scale(&none, NAN).count == 0);
    MUST(bilanx_functions_filter(NULL, NULL, NULL).count == 0);
    MUST(bilanx_functions_filter(&none, NULL, NULL).count == 0);
    MUST(bilanx_functions_transform(NULL, NULL, NULL).count == 0);
    MUST(bilanx_functions_transform(&none, NULL, NULL).count == 0);
    MUST(bilanx_functions_denoise(NULL).count == 0);
    MUST(bilanx_functions_standardized(NULL).count == 0);
    BEARS(bilanx_functions_done(NULL));
    MUST(bilanx_functions_sum(NULL) == 0);
    BEARS(free(bilanx_function_name(NULL)));
    BEARS(free(bilanx_function_name(&(struct bilanx_function_count){0})));
}

static void functions(void)
{
    const struct bilanx_functions none = {0};
    struct bilanx_functions out = {0};
    struct bilanx_difference difference = {0};
    REFUSES(bilanx_functions_read(NULL, true, &out));
    REFUSES(bilanx_functions_read("/nonexistent", true, NULL));
    REFUSES(bilanx_functions_read(GARBAGE, true, &out));
    REFUSES(bilanx_functions_add(NULL, &none, &out));
    REFUSES(bilanx_functions_add(&none, NULL, &out));
    REFUSES(bilanx_functions_add(&none, &none, NULL));
    REFUSES(bilanx_functions_subtract(NULL, &none, &out));
    REFUSES(bilanx_functions_subtract(&none, NULL, &out));
    REFUSES(bilanx_functions_subtract(&none, &none, NULL));
    REFUSES(bilanx_functions_match(NULL, "x", true, &out));
    REFUSES(bilanx_functions_match(&none, NULL, true, &out));
    REFUSES(bilanx_functions_match(&none, "x", true, NULL));
    REFUSES(bilanx_functions_match(&none, GARBAGE, true, &out));
    REFUSES(bilanx_functions_replace(NULL, BILANX_PART_FILE, "x", "y", &out));
    REFUSES(bilanx_functions_replace(&none, BILANX_PART_FILE, NULL, "y", &out));
    REFUSES(bilanx_functions_replace(&none, BILANX_PART_FILE, "x", NULL, &out));
    REFUSES(bilanx_functions_replace(&none, BILANX_PART_FILE, "x", "y", NULL));
    REFUSES(bilanx_functions_replace(&none, BILANX_PART_FILE, GARBAGE, "y", &out));
    REFUSES(bilanx_functions_difference(NULL, &none, &difference));
    REFUSES(bilanx_functions_difference(&none, NULL, &difference));
    REFUSES(bilanx_functions_difference(&none, &none, NULL));
    REFUSES(bilanx_functions_compare(NULL, "/nonexistent", NULL, stderr));
    REFUSES(bilanx_functions_compare("/nonexistent", NULL, NULL, stderr));
    REFUSES(bilanx_functions_compare("/nonexistent", "/nonexistent", NULL, NULL));
    REFUSES(bilanx_functions_compare(GARBAGE, GARBAGE, NULL, stderr));
    BEARS(bilanx_difference_done(NULL));
    bilanx_difference_done(&difference);
    bilanx_difference_done(&difference);
}

static void doctor(void)
{
    struct bilanx_doctor doctor = {0};
    BEARS(bilanx_doctor_examine(NULL, NULL));
    bilanx_doctor_examine(NULL, &doctor);
    bilanx_doctor_done(&doctor);
    bilanx_doctor_done(&doctor);
    BEARS(bilanx_doctor_done(NULL));
    REFUSES(bilanx_doctor_measure(NULL, NULL));
    MUST(bilanx_grade_word((enum bilanx_grade)9999));
}

static void fuzzer(void)
{
    struct bilanx_fuzzer *fuzzer = NULL;
    const struct bilanx_sample *sample;
    DLManagedTensor *tensor;
    REFUSES(bilanx_fuzzer_new(NULL, &fuzzer));
    REFUSES(bilanx_fuzzer_new(&(struct bilanx_fuzzer_spec){0}, NULL));
    REFUSES(bilanx_fuzzer_open(NULL, &fuzzer));
    REFUSES(bilanx_fuzzer_open("unary", NULL));
    REFUSES(bilanx_fuzzer_open(GARBAGE, &fuzzer));
    REFUSES(bilanx_fuzzer_read_text(NULL, 3, "here", &fuzzer));
    REFUSES(bilanx_fuzzer_read_text("x", 1, NULL, &fuzzer));
    REFUSES(bilanx_fuzzer_read_text("x", 1, "here", NULL));
    REFUSES(bilanx_fuzzer_read_text(GARBAGE, sizeof GARBAGE, "here", &fuzzer));
    REFUSES(bilanx_fuzzer_set_seed(NULL, 1));
    REFUSES(bilanx_fuzzer_set_dtype(NULL, "f32"));
    REFUSES(bilanx_fuzzer_sample(NULL, 0, &sample));
    BEARS(bilanx_fuzzer_rejection_rate(NULL));
    BEARS(bilanx_sample_integer(NULL, "x"));
    BEARS(bilanx_sample_number(NULL, "x"));
    REFUSES(bilanx_fuzzer_make(NULL, "x", &tensor));
    REFUSES(bilanx_fuzzer_make_sparse(NULL, "x", &tensor, &tensor));
    BEARS(bilanx_fuzzer_free(NULL));
}

static void fuzzer_that_works(void)
{
    struct bilanx_fuzzer *fuzzer;
    const struct bilanx_sample *sample;
    DLManagedTensor *tensor;
    READY(bilanx_fuzzer_open("unary", &fuzzer));
    REFUSES(bilanx_fuzzer_make(fuzzer, "x", &tensor));  // no sample yet
    REFUSES(bilanx_fuzzer_sample(fuzzer, 0, NULL));
    READY(bilanx_fuzzer_sample(fuzzer, 0, &sample));
    BEARS(bilanx_sample_integer(sample, NULL));
    BEARS(bilanx_sample_integer(sample, GARBAGE));
    BEARS(bilanx_sample_number(sample, NULL));
    BEARS(bilanx_sample_number(sample, GARBAGE));
    REFUSES(bilanx_fuzzer_make(fuzzer, NULL, &tensor));
    REFUSES(bilanx_fuzzer_make(fuzzer, GARBAGE, &tensor));
    REFUSES(bilanx_fuzzer_make(fuzzer, "x", NULL));
    REFUSES(bilanx_fuzzer_make_sparse(fuzzer, NULL, &tensor, &tensor));
    REFUSES(bilanx_fuzzer_make_sparse(fuzzer, "x", NULL, &tensor));
    REFUSES(bilanx_fuzzer_make_sparse(fuzzer, "x", &tensor, NULL));
    REFUSES(bilanx_fuzzer_set_dtype(fuzzer, NULL));
    REFUSES(bilanx_fuzzer_set_dtype(fuzzer, GARBAGE));
    bilanx_fuzzer_free(fuzzer);
}

static void suite(void)
{
    struct bilanx_suite *suite = bilanx_suite_new(NULL);
    struct bilanx_suite_case **cases;
    struct bilanx_suite_entry entry = {0};
    size_t count;
    REFUSES(bilanx_suite_add_at(NULL, &entry, "here", 1));
    REFUSES(bilanx_suite_add_at(suite, NULL, "here", 1));
    REFUSES(bilanx_suite_add_at(suite, &entry, NULL, 1));
    REFUSES(bilanx_suite_read_file(NULL, "/nonexistent"));
    REFUSES(bilanx_suite_read_file(suite, NULL));
    REFUSES(bilanx_suite_read_file(suite, GARBAGE));
    REFUSES(bilanx_suite_read_text(NULL, "x", 1, "here"));
    REFUSES(bilanx_suite_read_text(suite, NULL, 3, "here"));
    REFUSES(bilanx_suite_read_text(suite, "x", 1, NULL));
    REFUSES(bilanx_suite_read_text(suite, GARBAGE, sizeof GARBAGE, "here"));
    REFUSES(bilanx_suite_materialize(NULL, NULL, &cases, &count));
    REFUSES(bilanx_suite_materialize(suite, NULL, NULL, &count));
    REFUSES(bilanx_suite_materialize(suite, NULL, &cases, NULL));
    BEARS(free(bilanx_suite_case_json(NULL)));
    BEARS(bilanx_suite_free(NULL));
    bilanx_suite_free(suite);
}

static void tensor(void)
{
    struct bilanx_tensor_options options = {.dimensions = 1, .shape = {4}};
    struct bilanx_tensor_difference difference;
    DLManagedTensor *made;
    DLTensor none = {0};
    uint64_t sum;
    REFUSES(bilanx_tensor_make(NULL, &made));
    REFUSES(bilanx_tensor_make(&options, NULL));
    REFUSES(bilanx_tensor_make(&(struct bilanx_tensor_options){.dtype = GARBAGE}, &made));
    REFUSES(bilanx_tensor_make(&(struct bilanx_tensor_options){.dimensions = 99}, &made));
    REFUSES(bilanx_tensor_make(&(struct bilanx_tensor_options){.dimensions = -1}, &made));
    REFUSES(
        bilanx_tensor_make(&(struct bilanx_tensor_options){.dimensions = 1, .shape = {-4}}, &made));
    REFUSES(bilanx_tensor_make(
        &(struct bilanx_tensor_options){.dimensions = 2, .shape = {INT64_MAX, INT64_MAX}}, &made));
    REFUSES(bilanx_tensor_make(&(struct bilanx_tensor_options){.fill = 99}, &made));
    READY(bilanx_tensor_make(&options, &made));
    REFUSES(bilanx_tensor_fill(NULL, &made->dl_tensor));
    REFUSES(bilanx_tensor_fill(&options, NULL));
    REFUSES(bilanx_tensor_compare(NULL, &made->dl_tensor, NULL, &difference));
    REFUSES(bilanx_tensor_compare(&made->dl_tensor, NULL, NULL, &difference));
    REFUSES(bilanx_tensor_compare(&made->dl_tensor, &made->dl_tensor, NULL, NULL));
    REFUSES(bilanx_tensor_checksum(NULL, &sum));
    REFUSES(bilanx_tensor_checksum(&made->dl_tensor, NULL));
    REFUSES(bilanx_tensor_checksum(&none, &sum));
    REFUSES(bilanx_tensor_save(NULL, "/nonexistent/x"));
    REFUSES(bilanx_tensor_save(&made->dl_tensor, NULL));
    REFUSES(bilanx_tensor_save(&made->dl_tensor, "/nonexistent/x"));
    bilanx_tensor_free(made);
    BEARS(bilanx_tensor_free(NULL));
}

struct misuse {
    const char *name;
    void (*run)(void);
};

static void run_alone(void **state)
{
    const struct misuse *misuse = *state;
    int status = -1;
    pid_t child = fork_without_handlers();
    if (child == 0) {
        misuse->run();
        _exit(faults != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    static struct misuse all[] = {
        {"error", error},
        {"run", run},
        {"counting", counting},
        {"ab", ab},
        {"timer", timer},
        {"statement", statement},
        {"timing", timing},
        {"record", record},
        {"record_freed_twice", record_freed_twice},
        {"compare", compare},
        {"convert", convert},
        {"counts", counts},
        {"functions", functions},
        {"functions_of_nothing", functions_of_nothing},
        {"doctor", doctor},
        {"fuzzer", fuzzer},
        {"fuzzer_that_works", fuzzer_that_works},
        {"suite", suite},
        {"tensor", tensor},
    };
    struct CMUnitTest tests[LENGTH(all)] = {0};
    for (size_t i = 0; i < LENGTH(all); i++)
        tests[i] = (struct CMUnitTest){all[i].name, run_alone, NULL, NULL, &all[i]};
    return cmocka_run_group_tests(tests, own_cache_begin, own_cache_end);
}

// Settings of a run: which are refused, and what becomes of the others.
#include "core/show/show_run.h"

#include <unistd.h>

#include "unit.h"

enum { RIGOROUS, BLOCKED, ADAPTIVE, TIMEIT, LATENCY };

static void settings_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    const char *twice[] = {"a=1", "b=2", "a=3"}, *bare[] = {"a=1", "b"}, *nameless[] = {"=1"};
    const struct {
        struct show_settings settings;
        const char *part;
    } cases[] = {
        {{.facts = {bare, 2}, .json = "-"}, "--fact takes KEY=VALUE, not 'b'"},
        {{.facts = {nameless, 1}, .json = "-"}, "--fact takes KEY=VALUE, not '=1'"},
        {{.facts = {twice, 3}, .json = "-"}, "--fact has 'a' twice"},
        {{.facts = {twice, 2}}, "--fact is for records: it needs -o FILE"},
        {{.env = "new"}, "--env is for records: it needs -o FILE"},
        {{.append = true, .overwrite = true, .json = "-"}, "cannot be combined"},
        {{.append = true}, "--append needs -o FILE"},
        {{.overwrite = true}, "--overwrite needs -o FILE"},
        {{.core = RUN_ANY_CORE, .core_wait = 1}, "there is nothing to wait for"},
        {{.method = BLOCKED, .core = RUN_FREE_CORE}, "not 'blocked', which keeps every block"},
        {{.method = TIMEIT, .core_wait = 1}, "not 'timeit', which keeps every block"},
        {{.method = LATENCY, .core_wait = 1}, "latency measures for a fixed time"},
        {{.google.out_format = SHOW_GOOGLE_CONSOLE}, "use > FILE"},
        {{.google.out_format = SHOW_GOOGLE_CSV}, "use --format csv > FILE"},
        {{.google.only_aggregates = true, .repeats = 2}, "repetitions are not aggregated"},
        {{.min_run_time = 2, .max_run_time = 1}, "min-run-time 2 s is more than"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_error(show_check(&cases[i].settings), BILANX_E_USAGE, cases[i].part);
}

static void other_settings_are_accepted(void **state)
{
    (void)state;
    const char *facts[] = {"a=1", "ab=2", "c=", "d=x=y"};
    const struct show_settings fine[] = {
        {0},
        {.facts = {facts, 4}, .json = "-"},
        {.facts = {facts, 4}, .format = BILANX_JSON},
        {.env = "new", .format = BILANX_JSON},
        {.append = true, .json = "-"},
        {.core = RUN_FREE_CORE, .core_wait = 1},
        {.core = RUN_ANY_CORE},
        {.method = LATENCY, .core = RUN_FREE_CORE},
        {.method = ADAPTIVE},
        {.google.only_aggregates = true, .repeats = 1},
        {.google.already = true, .repeats = 2},
    };
    for (size_t i = 0; i < LENGTH(fine); i++)
        assert_ok(show_check(&fine[i]));
}

static void a_file_with_records_is_not_overwritten_without_being_asked(void **state)
{
    (void)state;
    char path[] = "/tmp/bilanx-records-XXXXXX";
    static const char record[] = "{\"schema\":\"bilanx/1\"}\n";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, record, strlen(record)), strlen(record));
    close(fd);
    struct show_settings settings = {.json = path};
    assert_int_not_equal(show_check(&settings).status, BILANX_OK);
    settings.append = true;
    assert_ok(show_check(&settings));
    assert_int_equal(show_output_mode(&settings), OUTPUT_APPEND);
    settings.append = false;
    settings.overwrite = true;
    assert_ok(show_check(&settings));
    assert_int_equal(show_output_mode(&settings), OUTPUT_REPLACE);
    assert_int_equal(show_output_mode(&(struct show_settings){0}), OUTPUT_NEW);
    unlink(path);
}

static void records_go_to_a_file_or_to_stdout_as_json(void **state)
{
    (void)state;
    assert_null(show_records_path(&(struct show_settings){.format = BILANX_CSV}));
    assert_string_equal(show_records_path(&(struct show_settings){.format = BILANX_JSON}), "-");
    assert_string_equal(
        show_records_path(&(struct show_settings){.format = BILANX_JSON, .json = "f"}), "f");
    assert_string_equal(show_records_path(&(struct show_settings){.json = "f"}), "f");
}

static void every_limit_reaches_the_run(void **state)
{
    (void)state;
    const struct show_settings settings = {.method = ADAPTIVE,
                                           .number = 1,
                                           .repeats = 2,
                                           .min_run_time = 3,
                                           .max_run_time = 4,
                                           .warmup = 5,
                                           .threshold = 6,
                                           .precision = 7,
                                           .timeout = 8,
                                           .seed = 9,
                                           .max_memory = 10,
                                           .setup_once = true,
                                           .core = RUN_FREE_CORE,
                                           .core_wait = 11};
    struct run_options options = show_run_options(&settings);
    assert_ptr_equal(options.method, &method_adaptive);
    assert_int_equal(options.number, 1);
    assert_int_equal(options.repeats, 2);
    const double times[] = {options.min_run_time, options.max_run_time, options.warmup,
                            options.threshold,    options.precision,    options.timeout};
    for (size_t i = 0; i < LENGTH(times); i++)
        assert_near(times[i], (double)i + 3, 0);
    assert_int_equal(options.seed, 9);
    assert_int_equal(options.max_memory, 10);
    assert_true(options.one_process);
    assert_int_equal(options.core, RUN_FREE_CORE);
    assert_near(options.core_wait, 11, 0);
    static const struct method *const methods[] = {NULL, &method_blocked, &method_adaptive,
                                                   &method_timeit, &method_latency};
    for (int i = RIGOROUS; i <= LATENCY; i++) {
        assert_ptr_equal(show_run_options(&(struct show_settings){.method = i}).method, methods[i]);
        assert_string_equal(show_methods[i], i ? methods[i]->name : "rigorous");
    }
}

static void pages_are_kept_only_if_asked(void **state)
{
    (void)state;
    unsetenv("BILANX_PAGES");
    show_choose_pages(&(struct show_settings){.pages = 0});
    assert_null(getenv("BILANX_PAGES"));
    show_choose_pages(&(struct show_settings){.pages = 1});
    assert_string_equal(getenv("BILANX_PAGES"), "keep");
    assert_string_equal(show_pages[1], "keep");
    unsetenv("BILANX_PAGES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_contradict_each_other_are_refused),
        cmocka_unit_test(other_settings_are_accepted),
        cmocka_unit_test(a_file_with_records_is_not_overwritten_without_being_asked),
        cmocka_unit_test(records_go_to_a_file_or_to_stdout_as_json),
        cmocka_unit_test(every_limit_reaches_the_run),
        cmocka_unit_test(pages_are_kept_only_if_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

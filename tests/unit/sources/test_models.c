#include "sources/suite_cases/models.h"

#include <fcntl.h>
#include <time.h>

#include "own_cache.h"
#include "own_folder.h"

// An interpreter that notes its words and saves each model that it is asked for.
static const char PYTHON[] = "#!/bin/sh\n[ \"$1\" = -c ] || exit 1\nshift 2\n"
                             "while [ $# -gt 0 ]; do\n"
                             "echo \"$(cat \"$1\") ${1##*/} ${2##*/}\" >>\"$HERE/saved\"\n"
                             "[ \"$(cat \"$1\")\" = fails ] || echo >\"$2\"\nshift 2\ndone\n";

static int enter(void **state)
{
    if (own_folder_enter(state) != 0 || own_cache_begin(state) != 0)
        return -1;
    program_make("python", PYTHON);
    unsetenv("BILANX_PYTHON");
    return setenv("HERE", own_folder, 1);
}

static int leave(void **state)
{
    return own_cache_end(state) == 0 ? own_folder_leave(state) : -1;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static struct bilanx_suite_model models[] = {
    {.name = (char *)"one", .program = (char *)"first"},
    {.name = (char *)"two", .program = (char *)"second"},
    {.name = (char *)"bad", .program = (char *)"fails"},
};

static void every_model_is_saved_once(void **state)
{
    (void)state;
    struct bilanx_suite_case items[] = {
        {.model = &models[0]}, {.model = NULL}, {.model = &models[1]}, {.model = &models[0]}};
    struct bilanx_suite_case *cases[] = {&items[0], &items[1], &items[2], &items[3]};
    struct statement_options options = {.python = "./python"};
    AUTO(memory) char *folder = NULL, *again = NULL;
    assert_ok(models_save(cases, LENGTH(cases), &options, &folder));
    assert_file("saved", "first one.py one.pt\nsecond two.py two.pt\n");
    AUTO(memory) char *saved = mem_format("%s/two.pt", folder);
    assert_true(file_exists(saved));
    assert_true(text_starts(folder, own_cache));
    assert_ok(models_save(cases, LENGTH(cases), &options, &again));
    assert_string_equal(again, folder);
    assert_file("saved", "first one.py one.pt\nsecond two.py two.pt\n");
}

static void a_model_that_could_not_be_saved_is_tried_again(void **state)
{
    (void)state;
    struct bilanx_suite_case items[] = {{.model = &models[2]}, {.model = &models[1]}};
    struct bilanx_suite_case *cases[] = {&items[0], &items[1]};
    struct statement_options options = {.python = "./python"};
    for (int i = 0; i < 2; i++) {
        AUTO(memory) char *folder = NULL;
        assert_ok(models_save(cases, LENGTH(cases), &options, &folder));
    }
    assert_file("saved", "fails bad.py bad.pt\nsecond two.py two.pt\nfails bad.py bad.pt\n");
}

static void each_interpreter_has_its_own_models(void **state)
{
    (void)state;
    struct bilanx_suite_case item = {.model = &models[0]};
    struct bilanx_suite_case *cases[] = {&item};
    AUTO(memory) char *first = NULL, *second = NULL, *renewed = NULL;
    program_make("other", PYTHON);
    assert_ok(models_save(cases, 1, &(struct statement_options){.python = "./python"}, &first));
    assert_ok(models_save(cases, 1, &(struct statement_options){.python = "./other"}, &second));
    assert_string_not_equal(first, second);
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, "python", times, 0), 0);
    assert_ok(models_save(cases, 1, &(struct statement_options){.python = "./python"}, &renewed));
    assert_string_not_equal(first, renewed);
}

static void without_models_or_an_interpreter_there_is_no_folder(void **state)
{
    (void)state;
    struct bilanx_suite_case with = {.model = &models[0]}, without = {0};
    struct bilanx_suite_case *cases[] = {&without}, *more[] = {&with};
    char *folder = NULL;
    assert_ok(models_save(cases, 1, &(struct statement_options){.python = "./python"}, &folder));
    assert_null(folder);
    assert_ok(
        models_save(more, 1, &(struct statement_options){.python = "no-such-python"}, &folder));
    assert_null(folder);
    assert_false(file_exists("saved"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_model_is_saved_once),
        TEST(a_model_that_could_not_be_saved_is_tried_again),
        TEST(each_interpreter_has_its_own_models),
        TEST(without_models_or_an_interpreter_there_is_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

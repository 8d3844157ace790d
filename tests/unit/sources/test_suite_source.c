#include "sources/suite_cases/suite_source.h"

#include "own_folder.h"

static bool takes(const char *word)
{
    return suite_source.takes(word);
}

static void names_of_suites_are_taken(void **state)
{
    (void)state;
    assert_true(takes("-"));
    assert_true(takes("/dev/fd/63"));
    assert_true(takes("missing.yaml"));
    assert_true(takes("missing.yml"));
    assert_true(takes(".yaml"));
    assert_false(takes("missing"));
    assert_false(takes("missing.yaml.txt"));
    assert_false(takes("yaml"));
    assert_false(takes("--"));
    assert_false(takes(""));
}

static void a_file_that_begins_like_a_suite_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *content;
        bool suite;
    } files[] = {
        {"suite: x\n", true},
        {"benchmarks:\n  a: b\n", true},
        {"global_setup: x", true},
        {"# a comment\n\n  # another\n---\nsuite: x\n", true},
        {"\n\nsuite:", true},
        {"", false},
        {"# only a comment", false},
        {"#!/bin/sh\necho x\n", false},
        {"suite", false},
        {": x\n", false},
        {"Suite: x\n", false},
        {"{\"suite\": 1}\n", false},
        {"#bilanx-null\ncase1 1us\n", false},
        {"--\nsuite: x\n", false},
        {"two words: x\n", false},
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        file_make("file", files[i].content);
        if (takes("file") != files[i].suite)
            fail_msg("'%s' is%s taken for a suite", files[i].content, files[i].suite ? " not" : "");
    }
    file_make("file", "suite: x\n");
    assert_int_equal(chmod("file", 0755), 0);
    assert_false(takes("file"));  // a program
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_false(takes("folder"));
}

static const char SUITE[] = "benchmarks:\n"
                            "  one: {stmt: x, skip: a, columns: [median, stddev], tags: [t]}\n"
                            "  two: {stmt: y, skip: b, tags: [t, u]}\n"
                            "  three: {stmt: {python: z}, skip: c, columns: [stddev, min]}\n"
                            "  four: {stmt: w, skip: d, overhead_of: one}\n";

static struct statement_options code;

static struct source_request request_of(const char *const *words, size_t count)
{
    return (struct source_request){.words = words, .word_count = count, .code = &code};
}

static void assert_cases(const struct source *source, const char *names)
{
    AUTO(text) struct text all = {0};
    for (size_t i = 0; i < source->cases.count; i++)
        text_format(&all, "%s%s", i ? " " : "", source->cases.items[i].name);
    assert_string_equal(text_get(&all), names);
    assert_int_equal(suite_source_selection(source)->count, source->cases.count);
}

static struct bilanx_error open_request(const struct source_request *request, struct source *out)
{
    file_make("s.yaml", SUITE);
    return source_open(&suite_source, request, out);
}

static const char *const words[] = {"s.yaml"};

static void cases_of_suites_are_known_before_they_are_prepared(void **state)
{
    (void)state;
    AUTO(source) struct source source = {0};
    struct source_request request = request_of(words, 1);
    assert_ok(open_request(&request, &source));
    assert_cases(&source, "one two three/Python four");
    assert_string_equal(source.cases.items[1].task.stmt, "y");
    assert_null(source_case(&source, 0));
    AUTO(list) struct list columns = {0};
    suite_source_columns(&source, &columns);
    assert_int_equal(columns.count, 3);
    assert_string_equal(columns.items[0], "median");
    assert_string_equal(columns.items[1], "stddev");
    assert_string_equal(columns.items[2], "min");
    assert_true(suite_source_compile_seconds(&source) == 0);
}

static void the_request_selects_cases(void **state)
{
    (void)state;
    const char *t[] = {"u", "v"}, *python[] = {"python"};
    struct words tags = {.items = t, .count = 2}, without = {.items = python, .count = 1};
    AUTO(source) struct source filtered = {0}, tagged = {0}, compiled = {0}, with = {0};
    struct source_request request = request_of(words, 1);
    request.filter = "^t";
    assert_ok(open_request(&request, &filtered));
    assert_cases(&filtered, "two three/Python");
    request = request_of(words, 1);
    request.tags = &tags;
    assert_ok(open_request(&request, &tagged));
    assert_cases(&tagged, "two");
    request = request_of(words, 1);
    request.without_languages = &without;
    assert_ok(open_request(&request, &compiled));
    assert_cases(&compiled, "one two four");
    request = request_of(words, 1);
    request.filter = "four";
    request.with_others = true;
    assert_ok(open_request(&request, &with));
    assert_cases(&with, "one four");
}

static void other_words_are_refused(void **state)
{
    (void)state;
    const char *const mixed[] = {"s.yaml", "./program"}, *const missing[] = {"missing.yaml"};
    AUTO(source) struct source first = {0}, second = {0};
    struct source_request request = request_of(mixed, 2);
    assert_error(open_request(&request, &first), BILANX_E_USAGE,
                 "'./program' is not a suite: suites and programs cannot be mixed");
    request = request_of(missing, 1);
    assert_error(open_request(&request, &second), BILANX_E_SYSTEM, "missing.yaml");
}

static void cases_are_complete_when_all_are_prepared(void **state)
{
    (void)state;
    AUTO(source) struct source source = {0};
    struct source_request request = request_of(words, 1);
    assert_ok(open_request(&request, &source));
    assert_ok(source_keep(&source, (const bool[]){false, true, true, false}));
    assert_cases(&source, "two three/Python");
    bool more = false;
    assert_ok(source_prepare_some(&source, &more));
    assert_true(more);
    assert_non_null(source_case(&source, 0));
    assert_null(source.cases.items[0].failure);
    assert_ok(source_prepare_some(&source, &more));
    assert_false(more);
    assert_string_equal(source.cases.items[0].failure->text, "b");
    assert_string_equal(source.cases.items[1].failure->text, "c");
    struct bilanx_record record = {0};
    source_check(&source, 1, &record);
    assert_null(record.rates);
    assert_int_equal(source_place(&source, 1), 2);
}

static void a_duplicate_has_the_same_cases_for_another_purpose(void **state)
{
    (void)state;
    AUTO(source) struct source source = {0};
    struct source_request request = request_of(words, 1);
    assert_ok(open_request(&request, &source));
    assert_ok(source_keep(&source, (const bool[]){true, false, false, true}));
    AUTO(source) struct source counted = {0};
    assert_ok(source_duplicate(&source, SOURCE_FOR_VALGRIND, &counted));
    assert_cases(&counted, "one four");
    assert_ok(source_prepare(&counted));
    assert_string_equal(counted.cases.items[1].failure->text, "d");
    assert_null(source.cases.items[1].failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(names_of_suites_are_taken),
        IN_OWN_FOLDER(a_file_that_begins_like_a_suite_is_taken),
        IN_OWN_FOLDER(cases_of_suites_are_known_before_they_are_prepared),
        IN_OWN_FOLDER(the_request_selects_cases),
        IN_OWN_FOLDER(other_words_are_refused),
        IN_OWN_FOLDER(cases_are_complete_when_all_are_prepared),
        IN_OWN_FOLDER(a_duplicate_has_the_same_cases_for_another_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cluster/share/share.h"

#include "own_folder.h"

#define T(text) ((char *)(text))

static const struct source_kind listed = {.name = "list", .keep = source_keep_cases};
static const struct source_kind whole = {.name = "whole thing"};

// A source of statements with these names, up to a NULL.
static struct source source_of(const char *const *names)
{
    struct source source = {.kind = &listed, .cases = {.items = mem_array(struct run_case, 10)}};
    for (; *names; names++)
        source.cases.items[source.cases.count++] =
            (struct run_case){.name = mem_text(*names), .task = {.stmt = mem_text(*names)}};
    return source;
}
#define SOURCE_OF(...) source_of((const char *const[]){__VA_ARGS__, NULL})

static void made_source_done(struct source *source)
{
    run_cases_done(&source->cases);
    free(source->places);
}
static void scope_made_source(struct source *source)
{
    made_source_done(source);
}

static void assert_cases(const struct source *source, const char *names)
{
    AUTO(text) struct text all = {0};
    for (size_t i = 0; i < source->cases.count; i++)
        text_format(&all, "%s%s", i ? " " : "", source->cases.items[i].name);
    assert_string_equal(text_get(&all), names);
}

static int forget_digest(void **state)
{
    unsetenv(PORTION_DIGEST);
    return own_folder_enter(state);
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, forget_digest, own_folder_leave)

static char *digest_of(const struct run_case *item)
{
    struct run_case cases[] = {{.name = T("first")}, *item};
    struct source source = {.kind = &listed, .cases = {.items = cases, .count = 2}};
    return share_digest(&source);
}

static void a_digest_is_of_the_text_of_all_cases(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {.name = T("n"), .task = {.stmt = T("a"), .setup = T("b"), .global_setup = T("c")}},
        {.name = T("m"), .task = {.stmt = T("a"), .setup = T("b"), .global_setup = T("c")}},
        {.name = T("n"), .task = {.stmt = T("x"), .setup = T("b"), .global_setup = T("c")}},
        {.name = T("n"), .task = {.stmt = T("a"), .setup = T("x"), .global_setup = T("c")}},
        {.name = T("n"), .task = {.stmt = T("a"), .setup = T("b"), .global_setup = T("x")}},
        {.name = T("n"), .task = {.stmt = T("a"), .setup = T("b")}},
        {.name = T("n"), .task = {.stmt = T("a"), .global_setup = T("b")}},
        {.name = T("n"), .task = {.stmt = T("ab"), .global_setup = T("c")}},
    };
    char *digests[LENGTH(cases)];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        digests[i] = digest_of(&cases[i]);
        assert_int_equal(strlen(digests[i]), 32);
        assert_int_equal(strspn(digests[i], "0123456789abcdef"), 32);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(digests[k], digests[i]);
    }
    struct run_case labelled = cases[0];
    labelled.task.label = T("l");
    labelled.task.language = T("c++");
    AUTO(memory) char *same = digest_of(&labelled);
    assert_string_equal(same, digests[0]);
    for (size_t i = 0; i < LENGTH(cases); i++)
        free(digests[i]);
}

static void without_a_portion_every_case_is_kept(void **state)
{
    (void)state;
    AUTO(made_source) struct source source = SOURCE_OF("a", "b", "c");
    setenv(PORTION_DIGEST, "of another suite", 1);
    assert_ok(share_take(&(struct share){0}, &source));
    assert_cases(&source, "a b c");
    assert_null(source.places);
}

static void shards_divide_the_cases(void **state)
{
    (void)state;
    AUTO(made_source) struct source first = SOURCE_OF("a", "b", "c", "d"),
                                    second = SOURCE_OF("a", "b", "c", "d");
    assert_ok(share_take(&(struct share){.portion = {.shard = "1/2"}}, &first));
    assert_ok(share_take(&(struct share){.portion = {.shard = "2/2"}}, &second));
    assert_cases(&first, "a c");
    assert_cases(&second, "b d");
    assert_int_equal(source_place(&second, 0), 1);
    assert_int_equal(source_place(&second, 1), 3);
}

static void positions_choose_cases(void **state)
{
    (void)state;
    AUTO(made_source) struct source source = SOURCE_OF("a", "b", "c", "d"),
                                    beyond = SOURCE_OF("a", "b");
    assert_ok(share_take(&(struct share){.portion = {.cases = "2-3"}}, &source));
    assert_cases(&source, "b c");
    assert_error(share_take(&(struct share){.portion = {.cases = "3"}}, &beyond), BILANX_E_INPUT,
                 "there is no case 3: this suite has 2 cases");
    assert_cases(&beyond, "a b");
}

static void positions_are_only_valid_in_the_same_suite(void **state)
{
    (void)state;
    AUTO(made_source) struct source source = SOURCE_OF("a", "b"), edited = SOURCE_OF("a", "x");
    AUTO(memory) char *digest = share_digest(&source);
    struct share share = {.portion = {.cases = "2"}};
    setenv(PORTION_DIGEST, digest, 1);
    assert_error(share_take(&share, &edited), BILANX_E_INPUT,
                 "the cases here are not those that the run was started with");
    assert_cases(&edited, "a x");
    assert_ok(share_take(&share, &source));
    assert_cases(&source, "b");
}

static void a_source_that_cannot_be_divided_is_refused(void **state)
{
    (void)state;
    AUTO(made_source) struct source source = SOURCE_OF("a", "b");
    source.kind = &whole;
    assert_error(share_take(&(struct share){.portion = {.shard = "1/2"}}, &source), BILANX_E_USAGE,
                 "a whole thing cannot be divided into shards");
}

static void costs_that_cannot_be_read_are_an_error(void **state)
{
    (void)state;
    AUTO(made_source) struct source source = SOURCE_OF("a", "b");
    assert_error(
        share_take(&(struct share){.portion = {.shard = "1/2"}, .costs = {.records = "missing"}},
                   &source),
        BILANX_E_SYSTEM, "missing");
}

static void the_second_side_has_the_cases_of_the_first(void **state)
{
    (void)state;
    AUTO(made_source) struct source first = SOURCE_OF("a", "b", "c", "d"),
                                    second = SOURCE_OF("d", "x", "a", "b");
    assert_ok(share_follow(&first, &second));  // the first side has all its cases
    assert_cases(&second, "d x a b");
    assert_null(second.places);
    assert_ok(share_take(&(struct share){.portion = {.cases = "2,4"}}, &first));
    assert_ok(share_follow(&first, &second));
    assert_cases(&second, "d b");
    assert_int_equal(source_place(&second, 1), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_digest_is_of_the_text_of_all_cases),
        TEST(without_a_portion_every_case_is_kept),
        TEST(shards_divide_the_cases),
        TEST(positions_choose_cases),
        TEST(positions_are_only_valid_in_the_same_suite),
        TEST(a_source_that_cannot_be_divided_is_refused),
        TEST(costs_that_cannot_be_read_are_an_error),
        TEST(the_second_side_has_the_cases_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cluster/share/case_groups.h"

#include "own_folder.h"
#include "sources/statements/statements.h"

#define T(text) ((char *)(text))

static const struct source_kind listed = {.name = "list", .keep = source_keep_cases};

// A source of these cases. What they point to belongs to the test.
static struct source source_of(struct run_case *cases, size_t count)
{
    return (struct source){.kind = &listed, .cases = {.items = cases, .count = count}};
}

static struct run_case in_language(const char *language)
{
    return (struct run_case){.name = (char *)language, .task = {.language = (char *)language}};
}

static void a_case_costs_what_its_language_usually_takes(void **state)
{
    (void)state;
    struct run_case cases[] = {in_language("c"),
                               in_language("c++"),
                               in_language("python"),
                               in_language("null"),
                               {.name = T("none")}};
    struct source source = source_of(cases, LENGTH(cases));
    static const struct {
        struct case_costs how;
        double seconds[LENGTH(cases)];
    } runs[] = {
        {{0}, {1.3, 1.8, 2.1, 1.3, 1.3}},
        {{.run_time = 3}, {3.3, 3.8, 4.1, 3.3, 3.3}},
        {{.run_time = 0.5}, {0.8, 1.3, 1.6, 0.8, 0.8}},
        {{.counted = true}, {0.4, 1.0, 6.1, 1.1, 1.1}},
        {{.counted = true, .run_time = 3}, {0.4, 1.0, 6.1, 1.1, 1.1}},
    };
    for (size_t i = 0; i < LENGTH(runs); i++) {
        AUTO(memory) struct shard_item *items = NULL;
        assert_ok(case_groups(&source, &runs[i].how, &items));
        for (size_t k = 0; k < LENGTH(cases); k++)
            assert_near(items[k].cost, runs[i].seconds[k], 1e-9);
    }
}

static void the_cases_of_a_row_stay_together(void **state)
{
    (void)state;
    static const struct {
        struct run_case item;
        size_t group;
    } rows[] = {
        {{.task = {.label = T("add"), .sub_label = T("small"), .stmt = T("a")}}, 0},
        {{.task = {.label = T("add"), .sub_label = T("large"), .stmt = T("a")}}, 1},
        {{.task = {.label = T("add"), .sub_label = T("small"), .stmt = T("b")}}, 0},
        {{.task = {.label = T("sub"), .sub_label = T("small"), .stmt = T("a")}}, 3},
        {{.task = {.label = T("add"), .stmt = T("a")}, .name = T("x")}, 4},
        {{.task = {.label = T("add"), .stmt = T("b")}, .name = T("x")}, 5},
        {{.task = {.label = T("add"), .stmt = T("a")}, .name = T("y")}, 4},
        {{.task = {.label = T("add")}, .name = T("x")}, 7},
        {{.task = {.label = T("add")}, .name = T("y")}, 8},
        {{.task = {.label = T("add")}, .name = T("x")}, 7},
        {{.task = {.label = T("add"), .sub_label = T("large"), .stmt = T("c")}}, 1},
    };
    struct run_case cases[LENGTH(rows)];
    for (size_t i = 0; i < LENGTH(rows); i++)
        cases[i] = rows[i].item;
    struct source source = source_of(cases, LENGTH(cases));
    AUTO(memory) struct shard_item *items = NULL, *compared = NULL;
    assert_ok(case_groups(&source, &(struct case_costs){0}, &items));
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(items[i].group, rows[i].group);
    assert_ok(case_groups(&source, &(struct case_costs){.compared = true}, &compared));
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(compared[i].group, 0);
}

static const char SUITE[] = "suite: s\nbenchmarks:\n"
                            "  first: {stmt: x}\n"
                            "  apart: {stmt: w}\n"
                            "  second: {stmt: y, overhead_of: last}\n"
                            "  third: {stmt: z, overhead_of: first}\n"
                            "  last: {stmt: v, overhead_of: third}\n";

static void an_overhead_stays_with_what_it_is_measured_against(void **state)
{
    (void)state;
    const char *words[] = {"s.yaml"};
    struct statement_options code = {0};
    AUTO(source) struct source source = {0};
    AUTO(memory) struct shard_item *items = NULL, *counted = NULL;
    file_make("s.yaml", SUITE);
    assert_ok(source_open(&suite_source,
                          &(struct source_request){.words = words, .word_count = 1, .code = &code},
                          &source));
    assert_int_equal(source.cases.count, 5);
    static const size_t groups[] = {0, 1, 0, 0, 0};
    static const double seconds[] = {1.3, 1.3, 6.3, 6.3, 6.3};
    assert_ok(case_groups(&source, &(struct case_costs){0}, &items));
    for (size_t i = 0; i < LENGTH(groups); i++) {
        assert_int_equal(items[i].group, groups[i]);
        assert_near(items[i].cost, seconds[i], 1e-9);
    }
    assert_ok(case_groups(&source, &(struct case_costs){.counted = true}, &counted));
    for (size_t i = 0; i < LENGTH(groups); i++)
        assert_near(counted[i].cost, 0.4, 1e-9);
}

#define RECORD(kind, stmt, more)                                                      \
    "{\"schema\":\"bilanx/1\",\"kind\":\"" kind "\",\"task\":{\"stmt\":\"" stmt "\"}" \
    ",\"number_per_run\":1,\"raw_times\":[1]" more "}\n"

static void costs_are_taken_from_earlier_records(void **state)
{
    (void)state;
    struct run_case cases[] = {{.name = T("a"), .task = {.stmt = T("a")}},
                               {.name = T("b"), .task = {.stmt = T("b")}},
                               {.name = T("c"), .task = {.stmt = T("c")}},
                               {.name = T("d"), .task = {.stmt = T("d")}}};
    struct source source = source_of(cases, LENGTH(cases));
    AUTO(memory) struct shard_item *items = NULL, *none = NULL;
    file_make("earlier.jsonl",
              RECORD("measurement", "stranger", ",\"elapsed\":9") RECORD("measurement", "b",
                                                                         ",\"elapsed\":0.25")
                  RECORD("failure", "c", ",\"elapsed\":7,\"error\":{\"code\":\"crashed\"}")
                      RECORD("measurement", "d", "")
                          RECORD("measurement", "a",
                                 ",\"elapsed\":1.5") "{\"schema\":\"bilanx/1\",\"kind\":\"meas");
    assert_ok(case_groups(&source, &(struct case_costs){.records = "earlier.jsonl"}, &items));
    assert_near(items[0].cost, 1.5, 0);
    assert_near(items[1].cost, 0.25, 0);
    assert_near(items[2].cost, 1.3, 1e-9);
    assert_near(items[3].cost, 1.3, 1e-9);
    assert_error(case_groups(&source, &(struct case_costs){.records = "missing"}, &none),
                 BILANX_E_SYSTEM, "missing");
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(a_case_costs_what_its_language_usually_takes),
        IN_OWN_FOLDER(the_cases_of_a_row_stay_together),
        IN_OWN_FOLDER(an_overhead_stays_with_what_it_is_measured_against),
        IN_OWN_FOLDER(costs_are_taken_from_earlier_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

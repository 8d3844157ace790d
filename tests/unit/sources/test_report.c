#include "sources/commands/report.h"

#include <math.h>

#include "base/mem.h"
#include "records.h"

enum { RUNS = 6 };

// Runs of two commands, the second of which takes twice as long, and one that failed.
struct fixture {
    struct commands_run runs[2][RUNS];
    struct commands_item items[3];
    struct commands commands;
};

static void set_item(struct commands_item *item, const char *name, struct commands_run *runs,
                     double wall)
{
    double times[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        times[i] = wall * (1 + (double)i / 8);
        runs[i] = (struct commands_run){times[i], wall / 2, wall / 4, i + 1};
    }
    item->measured = (struct run_case){.name = (char *)name};
    item->run_count = RUNS;
    item->runs = runs;
    item->record = (struct bilanx_record){.kind = mem_text("measurement"),
                                          .stats = {.estimate = wall,
                                                    .ci95 = {0.75 * wall, 1.25 * wall},
                                                    .mean = 1.5 * wall,
                                                    .median = wall,
                                                    .stddev = wall / 4,
                                                    .min = wall}};
}

static int enter(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){
        .commands = {
            .items = fixture.items, .count = 3, .least_max_rss = 2e6, .interleaved = true}};
    set_item(&fixture.items[0], "first", fixture.runs[0], 0.25);
    set_item(&fixture.items[1], "second", fixture.runs[1], 0.5);
    fixture.items[0].max_rss = 12.34e6;
    fixture.items[2].measured = (struct run_case){.name = (char *)"third"};
    struct bilanx_error error = bilanx_error_make(BILANX_E_EXITED, "exited with status 3");
    record_fail(&fixture.items[2].record, &error, "stmt", "its output\n");
    *state = &fixture;
    return 0;
}

static int leave(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 3; i++)
        bilanx_record_done(&fixture->items[i].record);
    return 0;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static void csv_has_plain_numbers_in_seconds(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text out = {0};
    report_csv(&fixture->commands, false, &out);
    assert_string_equal(
        text_get(&out),
        "command,time_s,time_low_s,time_high_s,mean_s,stddev_s,median_s,user_s,system_s,min_s,max_"
        "s,"
        "max_rss_bytes,runs,ratio,ratio_low,ratio_high,warnings,failure\r\n"
        "first,0.25,0.1875,0.3125,0.375,0.0625,0.25,0.125,0.0625,0.25,0.40625,12340000,6,,,,,\r\n"
        "second,0.5,0.375,0.625,0.75,0.125,0.5,0.25,0.125,0.5,0.8125,,6,2,2,2,,\r\n"
        "third,,,,,,,,,,,,,,,,,exited\r\n");
}

static void a_single_run_has_no_deviation(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text out = {0}, table = {0};
    fixture->items[0].run_count = 1;
    fixture->commands.count = 1;
    report_csv(&fixture->commands, false, &out);
    assert_non_null(strstr(text_get(&out), "\nfirst,0.25,0.1875,0.3125,0.375,,0.25,"));
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &table);
    assert_null(strstr(text_get(&table), "| 62 ms |"));
}

static void warnings_are_listed_by_their_codes(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text csv = {0}, table = {0};
    record_warn(&fixture->items[0].record, "slow-first", "x");
    record_warn(&fixture->items[0].record, "outliers", "y");
    report_csv(&fixture->commands, false, &csv);
    assert_non_null(strstr(text_get(&csv), ",6,,,,slow-first outliers,\r\n"));
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &table);
    assert_non_null(strstr(text_get(&table), "slow-first, outliers"));
}

// The cells of a row of Markdown, up to a NULL.
static void assert_row(const struct text *table, const char *name, const char *const *cells)
{
    AUTO(memory) char *start = mem_format("| %s ", name);
    const char *row = strstr(text_get(table), start);
    if (!row)
        fail_msg("no row '%s' in %s", name, text_get(table));
    AUTO(memory) char *line = mem_text_n(row, strcspn(row, "\n"));
    for (; *cells; cells++)
        if (!strstr(line, *cells))
            fail_msg("no '%s' in '%s'", *cells, line);
}

static void a_table_has_a_row_per_command(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text table = {0};
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &table);
    assert_row(&table, "first",
               (const char *const[]){"| 250 ms |", "25%", "| 375.0 ms |", "| 62 ms |",
                                     "| 250.0 ms |", "| 406.2 ms |", "| 125.0 ms |", "| 62.50 ms |",
                                     "| 12.3 MB |", "| 6 |", NULL});
    assert_row(&table, "second",
               (const char *const[]){"| 500 ms |", "25%", "| 750.0 ms |", "| 812.5 ms |", "<2.0 MB",
                                     "2.000 (2.000 to 2.000)", NULL});
    assert_row(&table, "third", (const char *const[]){"exited", NULL});
    assert_non_null(strstr(text_get(&table), "ratio"));
}

static void people_see_ratios_below_the_table(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text table = {0}, ratios = {0};
    report_table(&fixture->commands, (struct table_look){.format = BILANX_TABLE}, &table);
    assert_null(strstr(text_get(&table), "ratio"));
    report_ratios(&fixture->commands, &ratios);
    assert_non_null(strstr(text_get(&ratios), "second"));
    assert_non_null(strstr(text_get(&ratios), "first"));
    assert_non_null(strstr(text_get(&ratios), "2.0"));
    assert_null(strstr(text_get(&ratios), "third"));
    size_t lines = 0;
    for (const char *at = text_get(&ratios); (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1);
}

static void a_ratio_without_pairs_has_no_interval(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text apart = {0}, few = {0}, table = {0};
    for (size_t i = 0; i < RUNS; i++)
        fixture->runs[1][i].round += RUNS;
    report_ratios(&fixture->commands, &apart);
    assert_non_null(strstr(text_get(&apart), "from medians; not run side by side"));
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &table);
    assert_row(&table, "second", (const char *const[]){"| 2.000 ", NULL});
    for (size_t i = 0; i < RUNS; i++)
        fixture->runs[1][i].round -= i < 3 ? RUNS : 0;
    report_ratios(&fixture->commands, &few);
    assert_non_null(strstr(text_get(&few), "too few runs for an interval"));
}

static void a_ratio_shows_two_digits_of_its_uncertainty(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text rough = {0};
    for (size_t i = 0; i < RUNS; i++)
        fixture->runs[1][i].wall = i % 2 ? 0.25 : 1;
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &rough);
    const char *row = strstr(text_get(&rough), "| second ");
    const char *ratio = strstr(row, " to ");
    assert_non_null(ratio);
    // "1.9 (0.9 to 4.1)": one decimal, since the half width is above 1.
    assert_int_equal(ratio[-2], '.');
}

static void notes_explain_failures(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text notes = {0}, failures = {0};
    record_warn(&fixture->items[0].record, "slow-first", "the first run is slow");
    report_notes(&fixture->commands, false, false, &notes);
    assert_non_null(strstr(text_get(&notes), "third"));
    assert_non_null(strstr(text_get(&notes), "its output"));
    assert_non_null(strstr(text_get(&notes), "the first run is slow"));
    report_notes(&fixture->commands, true, false, &failures);
    assert_non_null(strstr(text_get(&failures), "exited with status 3"));
    assert_null(strstr(text_get(&failures), "the first run is slow"));
}

static void commands_without_a_record_are_left_out(void **state)
{
    struct fixture *fixture = *state;
    AUTO(text) struct text csv = {0}, table = {0}, notes = {0};
    bilanx_record_done(&fixture->items[2].record);
    report_csv(&fixture->commands, false, &csv);
    assert_null(strstr(text_get(&csv), "third"));
    report_table(&fixture->commands, (struct table_look){.format = BILANX_MARKDOWN}, &table);
    assert_null(strstr(text_get(&table), "third"));
    report_notes(&fixture->commands, false, false, &notes);
    assert_null(strstr(text_get(&notes), "third"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(csv_has_plain_numbers_in_seconds),
        TEST(a_single_run_has_no_deviation),
        TEST(warnings_are_listed_by_their_codes),
        TEST(a_table_has_a_row_per_command),
        TEST(people_see_ratios_below_the_table),
        TEST(a_ratio_without_pairs_has_no_interval),
        TEST(a_ratio_shows_two_digits_of_its_uncertainty),
        TEST(notes_explain_failures),
        TEST(commands_without_a_record_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

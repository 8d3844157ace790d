// A third-party program that compares with the whole library: statements, programs, records, a
// suite. Valid as C and as C++.
//
//     verdict PROGRAM RECORDS SUITE
#include <bilanx/ab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int heard;

static void finished(void *context, const struct bilanx_record *record)
{
    (void)record;
    ++*(int *)context;
}

// Prints the verdicts; returns their number, or -1 on an error.
static int compare(const struct bilanx_ab_side *sides, struct bilanx_ab_options options)
{
    struct bilanx_record *records;
    size_t count;
    int verdicts = 0;
    options.context = &heard;
    options.finished = finished;
    struct bilanx_error error = bilanx_ab(sides, 2, &options, &records, &count);
    if (error.status != BILANX_OK) {
        printf("error: %s\n", error.text);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (records[i].verdict) {
            printf("%s on %s: %s, %+.1f %%, against %s\n", records[i].task.stmt, records[i].side,
                   records[i].verdict->verdict, 100 * records[i].verdict->change,
                   records[i].verdict->baseline);
            verdicts++;
        }
        bilanx_record_done(&records[i]);
    }
    free(records);
    return verdicts;
}

static int compare_two_statements(void)
{
    const struct bilanx_ab_side sides[] = {
        {"half", "cc:cc", "for (int i = 0; i < 500; i++) x = x * 3 + 1"},
        {"whole", "cc:cc", "for (int i = 0; i < 1000; i++) x = x * 3 + 1"}};
    struct bilanx_ab_options options = {0};
    options.setup = "unsigned long x = 1;";
    options.budget = 30;  // ends as soon as it is certain
    return compare(sides, options);
}

static int compare_two_compilers(void)
{
    const struct bilanx_ab_side sides[] = {{"A", "cc:cc -O1", NULL}, {"B", "cc:cc -O2", NULL}};
    const char *const stmts[] = {"x = x * 3 + 1", "x = x * x + 1", NULL};
    struct bilanx_ab_options options = {0};
    options.stmts = stmts;
    options.setup = "unsigned long x = 1;";
    options.budget = .2;
    options.margin = .5;
    return compare(sides, options);
}

static int compare_programs(const char *path)
{
    char spec[1000];
    snprintf(spec, sizeof spec, "bin:%s", path);
    const struct bilanx_ab_side sides[] = {{"A", spec, NULL}, {"B", spec, NULL}};
    struct bilanx_ab_options options = {0};
    options.budget = .2;
    options.filter = "4096";
    return compare(sides, options);
}

static int compare_records(const char *path)
{
    char spec[1000];
    snprintf(spec, sizeof spec, "file:%s", path);
    const struct bilanx_ab_side sides[] = {{"A", spec, NULL}, {"B", spec, NULL}};
    struct bilanx_ab_options options = {0};
    return compare(sides, options);
}

static int compare_suite(const char *path)
{
    const struct bilanx_ab_side sides[] = {{"A", "cc:cc -O1", NULL}, {"B", "cc:cc -O2", NULL}};
    const char *const suites[] = {path, NULL};
    struct bilanx_ab_options options = {0};
    options.suites = suites;
    options.budget = .2;
    return compare(sides, options);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    if (compare_two_statements() != 1 || compare_two_compilers() != 2 ||
        compare_programs(argv[1]) != 1 || compare_records(argv[2]) != 1 ||
        compare_suite(argv[3]) != 1)
        return 1;
    const struct bilanx_ab_side odd[] = {{"A", NULL, "x"}, {"B", NULL, NULL}};
    struct bilanx_ab_options none = {0};
    return heard < 6 || compare(odd, none) != -1;
}

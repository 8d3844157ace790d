// A third-party program that measures and counts with the whole library. Valid as C and
// as C++.
//
//     measured PROGRAM SUITE
#include <bilanx/compare.h>
#include <bilanx/count.h>
#include <bilanx/run.h>
#include <bilanx/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finished(void *context, const struct bilanx_record *record)
{
    *(int *)context += record->kind != NULL;
}

// Prints a table of the results; returns how many records are not failures.
static int show(struct bilanx_record *records, size_t count)
{
    struct bilanx_compare *compare = bilanx_compare_new();
    int good = 0;
    for (size_t i = 0; i < count; i++) {
        good += !records[i].error;
        bilanx_compare_add(compare, &records[i], NULL);
        bilanx_record_done(&records[i]);
    }
    static struct bilanx_compare_options as_usual;
    bilanx_compare_print(compare, &as_usual, stdout);
    bilanx_compare_free(compare);
    free(records);
    return good;
}

static int measure(struct bilanx_run_options options)
{
    struct bilanx_record *records;
    size_t count;
    int heard = 0;
    options.max_run_time = .01;
    options.context = &heard;
    options.finished = finished;
    struct bilanx_error error = bilanx_run(&options, &records, &count);
    if (error.status != BILANX_OK) {
        printf("error: %s\n", error.text);
        return -1;
    }
    return (int)count == heard ? show(records, count) : -1;
}

static int measure_statements(void)
{
    const char *const stmts[] = {"x = x * 3 + 1", "x = x * x + 1", NULL};
    struct bilanx_run_options options = {0};
    options.stmts = stmts;
    options.setup = "unsigned long x = 1;";
    return measure(options);
}

static int measure_suite(const char *path)
{
    const char *const suites[] = {path, NULL};
    struct bilanx_run_options options = {0};
    options.suites = suites;
    return measure(options);
}

static int measure_program(const char *path)
{
    const char *const programs[] = {path, NULL};
    struct bilanx_run_options options = {0};
    options.programs = programs;
    options.filter = "4096";
    return measure(options);
}

// Instructions of an addition, or -1 on an error.
static double count_instructions(void)
{
    const char *const stmts[] = {"x += 1", NULL};
    struct bilanx_run_options what = {0};
    struct bilanx_record *records;
    size_t count;
    what.stmts = stmts;
    what.setup = "unsigned long x = 1;";
    struct bilanx_error error = bilanx_count(&what, NULL, &records, &count);
    if (error.status != BILANX_OK || count != 1 || !records[0].counts)
        return -1;
    double instructions = records[0].counts->per_iteration;
    bilanx_record_done(&records[0]);
    free(records);
    return instructions;
}

static int refuses_levels(void)
{
    const char *const stmts[] = {"1", NULL};
    struct bilanx_run_options what = {0};
    struct bilanx_count_options unknown = {0}, twice = {0};
    struct bilanx_record *records;
    size_t count;
    what.stmts = stmts;
    unknown.hwcaps = "x86-64-v9";
    twice.hwcaps = "native";
    twice.perf = true;
    return bilanx_count(&what, &unknown, &records, &count).status == BILANX_E_USAGE &&
           bilanx_count(&what, &twice, &records, &count).status == BILANX_E_USAGE;
}

static int measure_inputs(void)
{
    const char *const stmts[] = {"x->shape[0] + 1", NULL};
    struct bilanx_run_options options = {0};
    options.stmts = stmts;
    options.inputs = "unary";
    options.take = 2;
    options.inputs_seed = "7";
    options.dtype = "f64";
    options.order_by = "elements";
    return measure(options);
}

/* Each of these reaches whatever checks it. */
static int refuses_inputs(void)
{
    const char *const stmts[] = {"1", NULL};
    struct bilanx_run_options right = {0}, wrong[4];
    struct bilanx_record *records;
    size_t count;
    int refused = 0;
    right.stmts = stmts;
    right.inputs = "unary";
    wrong[0] = wrong[1] = wrong[2] = wrong[3] = right;
    wrong[0].inputs_seed = "x";
    wrong[1].dtype = "f31";
    wrong[2].order_by = "k9";
    wrong[3].as = "pandas";
    for (int i = 0; i < 4; i++)
        refused += bilanx_run(&wrong[i], &records, &count).status ==
                   (i == 1 ? BILANX_E_INPUT : BILANX_E_USAGE);
    return refused == 4;
}

static int asks_for_nothing(void)
{
    struct bilanx_run_options options = {0};
    struct bilanx_record *records;
    size_t count;
    return bilanx_run(&options, &records, &count).status == BILANX_E_USAGE;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    double instructions = count_instructions();
    printf("bilanx %s: an addition takes %g instructions\n", bilanx_version(), instructions);
    return !(measure_statements() == 2 && measure_inputs() == 2 && measure_suite(argv[2]) == 1 &&
             measure_program(argv[1]) >= 1 && instructions >= 2 && instructions < 20 &&
             asks_for_nothing() && refuses_inputs() && refuses_levels());
}

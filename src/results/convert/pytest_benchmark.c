// pytest_benchmark: reads the JSON of pytest-benchmark, and of our own fixture of that name.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "document.h"
#include "format.h"
#include "gather.h"

static bool recognises(const char *bytes, size_t size)
{
    return document_begins_with(bytes, size, 1, "machine_info") ||
           document_begins_with(bytes, size, 1, "commit_info");
}

// A group is a table, a test a row.
static struct bilanx_error read_task(const struct place *place, const json_t *test,
                                     struct bilanx_task *task)
{
    const char *name = NULL, *full = NULL, *group = NULL;
    const json_t *params = NULL;
    BILANX_TRY(place_text(place, test, "name", &name));
    BILANX_TRY(place_text(place, test, "fullname", &full));
    BILANX_TRY(place_text(place, test, "group", &group));
    BILANX_TRY(place_object(place, test, "params", &params));
    if (!name)
        return place_fault(place, "name", "a string", NULL);
    task->stmt = mem_text(full ? full : name);
    task->language = mem_text("python");
    task->label = mem_text(group);
    task->sub_label = mem_text(name);
    if (params && json_object_size(params))
        task->parameters = print_json(params);
    return BILANX_SUCCESS;
}

static struct bilanx_error add_times(const struct place *place, const json_t *data,
                                     uint64_t iterations, struct run_times *runs)
{
    const json_t *value;
    size_t i;
    json_array_foreach(data, i, value)
    {
        char key[40];
        snprintf(key, sizeof key, "stats.data[%zu]", i);
        if (!json_is_number(value) ||
            !run_times_add(runs, (struct run_time){json_number_value(value), NAN, 1, iterations}))
            return place_fault(place, key, "a time of at least 0", value);
    }
    return BILANX_SUCCESS;
}

// Without --benchmark-save-data there are only figures; then uses the median.
static struct bilanx_error read_times(const struct place *place, const json_t *test,
                                      struct bilanx_timing *timing)
{
    const json_t *stats = NULL, *data = NULL;
    uint64_t iterations = 1;
    double median = NAN;
    BILANX_TRY(place_object(place, test, "stats", &stats));
    if (!stats)
        return place_fault(place, "stats", "an object", NULL);
    BILANX_TRY(place_count(place, stats, "iterations", &iterations));
    BILANX_TRY(place_time(place, stats, "median", &median));
    BILANX_TRY(place_array(place, stats, "data", &data));
    AUTO(run_times) struct run_times runs = {0};
    bool all = json_array_size(data) > 0;
    BILANX_TRY(add_times(place, data, iterations, &runs));
    if (!all && !run_times_add(&runs, (struct run_time){median, NAN, 1, iterations}))
        return place_fault(place, "stats.median", "a time of at least 0", NULL);
    run_times_timing(&runs, all ? "rounds" : "pytest-benchmark-summary", timing);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_test(const struct place *place, const json_t *test,
                                     const struct reader_sink *sink)
{
    if (!json_is_object(test))
        return place_fault(place, "", "an object", test);
    const json_t *info = NULL;
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("measurement")};
    BILANX_TRY(read_task(place, test, &record.task));
    BILANX_TRY(read_times(place, test, &record.timing));
    BILANX_TRY(place_object(place, test, "extra_info", &info));
    if (info && json_object_size(info))
        extra_keep(&record.extra, "pytest-benchmark", json_deep_copy(info));
    return format_give(sink, &record);
}

static struct bilanx_error read_tests(struct lines *lines, const struct reader_sink *sink)
{
    AUTO(json) json_t *document = NULL;
    BILANX_TRY(document_read(lines, &document));
    const json_t *tests = NULL, *test;
    const struct place top = {lines->name, ""};
    BILANX_TRY(place_array(&top, document, "benchmarks", &tests));
    if (!tests)
        return place_fault(&top, "benchmarks", "an array", NULL);
    size_t i;
    json_array_foreach(tests, i, test)
    {
        char path[40];
        snprintf(path, sizeof path, "benchmarks[%zu]", i);
        BILANX_TRY(read_test(&(struct place){lines->name, path}, test, sink));
    }
    return BILANX_SUCCESS;
}

const struct format format_pytest_benchmark = {
    .face = {.name = "pytest-benchmark",
             .summary = "pytest-benchmark's JSON (--benchmark-json); only read",
             .extensions = ""},
    .recognises = recognises,
    .read = read_tests,
};

// hyperfine: reads its JSON as records of commands, like those of 'bilanx time -- COMMAND'.
#include "hyperfine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "document.h"
#include "gather.h"

static bool recognises(const char *bytes, size_t size)
{
    return document_begins_with(bytes, size, 1, "results") &&
           !document_begins_with(bytes, size, 1, "benchmarks");
}

char *hyperfine_choice(const char *parameters_text)
{
    AUTO(json) json_t *parameters = extra_object(parameters_text);
    struct text choice = {0};
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        AUTO(memory) char *other = json_is_string(value) ? NULL : print_json(value);
        text_format(&choice, "%s%s=%s", choice.size ? " " : "", name,
                    other ? other : json_string_value(value));
    }
    return choice.size ? text_take(&choice) : NULL;
}

static struct bilanx_error read_parameters(const struct place *place, const json_t *result,
                                           struct bilanx_task *task)
{
    const json_t *parameters = NULL;
    BILANX_TRY(place_object(place, result, "parameters", &parameters));
    if (!parameters || json_object_size(parameters) == 0)
        return BILANX_SUCCESS;
    task->parameters = print_json(parameters);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_task(const struct place *place, const json_t *result,
                                     struct bilanx_task *task)
{
    const char *command = NULL;
    BILANX_TRY(place_text(place, result, "command", &command));
    if (!command)
        return place_fault(place, "command", "a string", NULL);
    task->stmt = mem_text(command);
    task->language = mem_text("command");
    return read_parameters(place, result, task);
}

static struct bilanx_error time_at(const struct place *place, const json_t *times, size_t i,
                                   double *out)
{
    char key[40];
    snprintf(key, sizeof key, "times[%zu]", i);
    const json_t *value = json_array_get(times, i);
    if (!json_is_number(value) || json_number_value(value) < 0)
        return place_fault(place, key, "a time of at least 0", value);
    *out = json_number_value(value);
    return BILANX_SUCCESS;
}

// Older versions did not export single times; then uses the median.
static struct bilanx_error read_summary(const struct place *place, const json_t *result,
                                        struct run_times *runs, json_t *more)
{
    static const char *const keys[] = {"mean", "stddev", "median", "min", "max"};
    double time = NAN;
    BILANX_TRY(place_time(place, result, "mean", &time));
    BILANX_TRY(place_time(place, result, "median", &time));
    if (isnan(time))
        return place_fault(place, "times", "an array of times", NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(result, keys[i]))
            json_object_set(more, keys[i], json_object_get(result, keys[i]));
    run_times_add(runs, (struct run_time){time, NAN, 1, 1});
    return BILANX_SUCCESS;
}

static struct bilanx_error read_times(const struct place *place, const json_t *result,
                                      struct bilanx_timing *timing, json_t *more)
{
    const json_t *times = NULL;
    BILANX_TRY(place_array(place, result, "times", &times));
    AUTO(run_times) struct run_times runs = {0};
    size_t count = json_array_size(times);
    if (times && count == 0)
        return bilanx_error_make(BILANX_E_INPUT, "%s: '%s.times' is empty: no run was measured",
                                 place->file, place->path);
    for (size_t i = 0; i < count; i++) {
        double time = 0;
        BILANX_TRY(time_at(place, times, i, &time));
        run_times_add(&runs, (struct run_time){time, NAN, 1, 1});
    }
    if (!times)
        BILANX_TRY(read_summary(place, result, &runs, more));
    run_times_timing(&runs, times ? "runs" : "hyperfine-summary", timing);
    return BILANX_SUCCESS;
}

static void count_exit(json_t *counters, const json_t *code)
{
    char key[40] = "signal";
    if (json_is_integer(code) && json_integer_value(code) == 0)
        return;
    if (json_is_integer(code))
        snprintf(key, sizeof key, "exit_%" JSON_INTEGER_FORMAT, json_integer_value(code));
    json_int_t seen = json_integer_value(json_object_get(counters, key));
    json_object_set_new(counters, key, json_integer(seen + 1));
}

static struct bilanx_error read_counters(const struct place *place, const json_t *result,
                                         struct bilanx_record *record)
{
    double user = 0, system = 0;
    const json_t *codes = NULL, *sizes = NULL, *item;
    size_t i;
    BILANX_TRY(place_time(place, result, "user", &user));
    BILANX_TRY(place_time(place, result, "system", &system));
    BILANX_TRY(place_array(place, result, "exit_codes", &codes));
    BILANX_TRY(place_array(place, result, "memory_usage_byte", &sizes));
    AUTO(json) json_t *counters = json_object();
    if (user > 0 || system > 0) {
        json_object_set_new(counters, "user_time", json_real(user));
        json_object_set_new(counters, "system_time", json_real(system));
    }
    json_array_foreach(codes, i, item)
    {
        if (!json_is_integer(item) && !json_is_null(item))
            return place_fault(place, "exit_codes", "an array of whole numbers", item);
        count_exit(counters, item);
    }
    json_array_foreach(sizes, i, item)
    {
        if (!json_is_number(item))
            return place_fault(place, "memory_usage_byte", "an array of numbers", item);
        double size = json_number_value(item);
        record->max_rss = size > record->max_rss ? size : record->max_rss;
    }
    if (json_object_size(counters))
        record->counters = print_json(counters);
    return BILANX_SUCCESS;
}

static void keep_unknown(const json_t *result, json_t *more)
{
    static const char *const keys[] = {
        "command",    "mean",       "stddev",   "median", "user",
        "system",     "min",        "max",      "times",  "memory_usage_byte",
        "exit_codes", "parameters", "exit_code"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)result, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            known |= strcmp(keys[i], key) == 0;
        if (!known)
            json_object_set(more, key, value);
    }
}

static struct bilanx_error read_result(const struct place *place, const json_t *result,
                                       const struct reader_sink *sink)
{
    if (!json_is_object(result))
        return place_fault(place, "", "an object", result);
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("measurement")};
    AUTO(json) json_t *more = json_object();
    BILANX_TRY(read_task(place, result, &record.task));
    BILANX_TRY(read_times(place, result, &record.timing, more));
    BILANX_TRY(read_counters(place, result, &record));
    keep_unknown(result, more);
    extra_keep(&record.extra, "hyperfine", json_incref(more));
    return format_give(sink, &record);
}

static struct bilanx_error read_hyperfine(struct lines *lines, const struct reader_sink *sink)
{
    AUTO(json) json_t *document = NULL;
    BILANX_TRY(document_read(lines, &document));
    const json_t *results = NULL, *result;
    const struct place top = {lines->name, ""};
    BILANX_TRY(place_array(&top, document, "results", &results));
    if (!results)
        return place_fault(&top, "results", "an array", NULL);
    size_t i;
    json_array_foreach(results, i, result)
    {
        char path[40];
        snprintf(path, sizeof path, "results[%zu]", i);
        BILANX_TRY(read_result(&(struct place){lines->name, path}, result, sink));
    }
    return BILANX_SUCCESS;
}

static const char *const kinds[] = {"measurement", NULL};
static const char *const holds[] = {
    "kind",      "task.label", "task.sub_label", "task.stmt", "task.language", "task.parameters",
    "raw_times", "stats",      "number_per_run", "method",    "max_rss",       "counters",
    NULL,
};

const struct format format_hyperfine = {
    .face = {.name = "hyperfine", .summary = "hyperfine's JSON (--export-json)", .extensions = ""},
    .recognises = recognises,
    .read = read_hyperfine,
    .write = hyperfine_write,
    .kinds = kinds,
    .holds = holds,
};

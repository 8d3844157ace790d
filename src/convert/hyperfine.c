// hyperfine: its JSON to records of commands, as 'bilanx time -- COMMAND' makes them, and back.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "document.h"
#include "format.h"
#include "gather.h"

static bool recognises(const char *bytes, size_t size)
{
    return document_begins_with(bytes, size, 1, "results") &&
           !document_begins_with(bytes, size, 1, "benchmarks");
}

// Parameters as a row is called by them: "n=4 file=a"; NULL without any.
static char *choice_of(const char *parameters_text)
{
    AUTO(json) json_t *parameters = extra_object(parameters_text);
    struct text choice = {0};
    const char *name;
    json_t *value;
    json_object_foreach(parameters, name, value)
    {
        AUTO(memory) char *other = json_is_string(value) ? NULL : json_print(value);
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
    task->parameters = json_print(parameters);
    task->sub_label = choice_of(task->parameters);
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
    task->label = mem_text(command);
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
        return place_fault(place, key, "a time from 0 up", value);
    *out = json_number_value(value);
    return BILANX_SUCCESS;
}

// Without the single times, which older versions did not export, the median stands for them all.
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
        record->counters = json_print(counters);
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

static void add_real(struct json_writer *json, const char *key, double number)
{
    AUTO(text) struct text digits = {0};
    document_add_real(&digits, number);
    if (key)
        json_key(json, key);
    json_raw(json, text_get(&digits));
}

// Times per call, and figures from them as hyperfine computes them.
static void add_times(struct json_writer *json, const struct bilanx_record *record,
                      const json_t *counters)
{
    const struct bilanx_timing *timing = &record->timing;
    const struct bilanx_stats *stats = &record->stats;
    double number = (double)timing->number_per_run, max = 0, cpu = 0;
    for (size_t i = 0; i < timing->raw_count; i++)
        max = timing->raw_times[i] > max ? timing->raw_times[i] : max;
    for (size_t i = 0; i < timing->raw_cpu_count; i++)
        cpu += timing->raw_cpu_times[i] / number / (double)timing->raw_cpu_count;
    const json_t *user = json_object_get(counters, "user_time");
    const json_t *system = json_object_get(counters, "system_time");
    add_real(json, "mean", stats->mean);
    json_key(json, "stddev");
    if (timing->raw_count > 1)
        add_real(json, NULL, stats->stddev);
    else
        json_raw(json, "null");
    add_real(json, "median", stats->median);
    add_real(json, "user", user ? json_number_value(user) : cpu);
    add_real(json, "system", json_number_value(system));
    add_real(json, "min", stats->min);
    add_real(json, "max", max / number);
    json_key(json, "times");
    json_open(json, '[');
    for (size_t i = 0; i < timing->raw_count; i++)
        add_real(json, NULL, timing->raw_times[i] / number);
    json_close(json, ']');
}

static void add_sizes(struct json_writer *json, const struct bilanx_record *record)
{
    if (!(record->max_rss > 0 && record->max_rss < 0x1p63))
        return;
    json_key(json, "memory_usage_byte");
    json_open(json, '[');
    for (size_t i = 0; i < record->timing.raw_count; i++)
        json_count(json, (uint64_t)record->max_rss);
    json_close(json, ']');
}

// The code that a counter's name tells; false for a counter of something else. A signal has none.
static bool exit_of(const char *name, json_int_t *code, bool *signal)
{
    *signal = strcmp(name, "signal") == 0 || text_starts(name, "signal_");
    char *end = NULL;
    if (text_starts(name, "exit_"))
        *code = strtoll(name + strlen("exit_"), &end, 10);
    return *signal || (end && *end == '\0' && end > name + strlen("exit_"));
}

// A record counts how many runs ended how, not which: those that did not end with 0 stand first.
static void add_exit_codes(struct json_writer *json, const struct bilanx_record *record,
                           const json_t *counters)
{
    size_t left = record->timing.raw_count;
    const char *name;
    json_t *value;
    json_key(json, "exit_codes");
    json_open(json, '[');
    json_object_foreach((json_t *)counters, name, value)
    {
        json_int_t code = 0;
        bool signal;
        double times = exit_of(name, &code, &signal) ? json_number_value(value) : 0;
        char digits[40];
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, code);
        for (; times >= 1 && left > 0; times--, left--)
            json_raw(json, signal ? "null" : digits);
    }
    for (; left > 0; left--)
        json_count(json, 0);
    json_close(json, ']');
}

static void add_parameters(struct json_writer *json, const struct bilanx_task *task)
{
    if (!task->parameters)
        return;
    AUTO(json) json_t *parameters = extra_object(task->parameters);
    const char *name;
    json_t *value;
    json_key(json, "parameters");
    json_open(json, '{');
    json_object_foreach(parameters, name, value)
    {
        AUTO(memory) char *other = json_is_string(value) ? NULL : json_print(value);
        json_key_text(json, name, other ? other : json_string_value(value));
    }
    json_close(json, '}');
}

static char *command_of(const struct bilanx_record *record)
{
    const struct bilanx_task *task = &record->task;
    AUTO(memory) char *choice = choice_of(task->parameters);
    // Parameters have a place of their own.
    bool told = text_equal(choice, task->sub_label);
    struct text command = {0};
    text_add(&command, task->label ? task->label : task->stmt ? task->stmt : "unnamed");
    const char *const more[] = {told ? NULL : task->sub_label, task->description, task->env,
                                record->side};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i])
            text_format(&command, " %s", more[i]);
    return text_take(&command);
}

static void tell_losses(const struct bilanx_record *record, const json_t *counters,
                        struct losses *losses)
{
    const struct bilanx_task *task = &record->task;
    AUTO(memory) char *choice = choice_of(task->parameters);
    if (task->sub_label && !text_equal(choice, task->sub_label))
        losses_add(losses, "'task.sub_label', now a part of 'command',");
    if (task->stmt && !text_equal(task->stmt, task->label))
        losses_add(losses, "'task.stmt'");
    if (task->language && strcmp(task->language, "command") != 0)
        losses_add(losses, "'task.language'");
    if (record->timing.number_per_run > 1)
        losses_add(losses, "'number_per_run'");
    if (record->timing.method && strcmp(record->timing.method, "runs") != 0)
        losses_add(losses, "'method'");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
    {
        json_int_t code;
        bool signal = false;
        if (strcmp(name, "user_time") == 0 || strcmp(name, "system_time") == 0)
            continue;
        if (!exit_of(name, &code, &signal))
            losses_add(losses, "the counter '%.60s'", name);
        else if (signal && strcmp(name, "signal") != 0)
            losses_add(losses, "which signal '%.60s' is", name);
    }
}

static void write_result(const struct bilanx_record *record, struct task_names *names, FILE *out,
                         struct losses *losses)
{
    AUTO(json) json_t *counters = extra_object(record->counters);
    AUTO(memory) char *command = task_names_claim(names, record, command_of(record), losses);
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    json_open(&json, '{');
    json_key_text(&json, "command", command);
    add_times(&json, record, counters);
    add_sizes(&json, record);
    add_exit_codes(&json, record, counters);
    add_parameters(&json, &record->task);
    json_close(&json, '}');
    fputs(text_get(&text), out);
    tell_losses(record, counters, losses);
}

static void write_hyperfine(const struct bilanx_record *records, size_t count, FILE *out,
                            struct losses *losses)
{
    const char *separator = "\n";
    AUTO(task_names) struct task_names names = {0};
    fputs("{\n\"results\": [", out);
    for (size_t i = 0; i < count; i++) {
        if (!format_takes(&format_hyperfine, &records[i]))
            continue;
        fputs(separator, out);
        write_result(&records[i], &names, out, losses);
        separator = ",\n";
    }
    fputs("\n]\n}\n", out);
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
    .write = write_hyperfine,
    .kinds = kinds,
    .holds = holds,
};

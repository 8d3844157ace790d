// hyperfine_write: writes records as hyperfine's JSON, one result each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "document.h"
#include "gather.h"
#include "hyperfine.h"

static void add_real(struct json_writer *json, const char *key, double number)
{
    AUTO(text) struct text digits = {0};
    document_add_real(&digits, number);
    if (key)
        writer_key(json, key);
    writer_raw(json, text_get(&digits));
}

// Adds times per call, and statistics as hyperfine computes them.
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
    writer_key(json, "stddev");
    if (timing->raw_count > 1)
        add_real(json, NULL, stats->stddev);
    else
        writer_raw(json, "null");
    add_real(json, "median", stats->median);
    add_real(json, "user", user ? json_number_value(user) : cpu);
    add_real(json, "system", json_number_value(system));
    add_real(json, "min", stats->min);
    add_real(json, "max", max / number);
    writer_key(json, "times");
    writer_open(json, '[');
    for (size_t i = 0; i < timing->raw_count; i++)
        add_real(json, NULL, timing->raw_times[i] / number);
    writer_close(json, ']');
}

static void add_sizes(struct json_writer *json, const struct bilanx_record *record)
{
    if (!(record->max_rss > 0 && record->max_rss < 0x1p63))
        return;
    writer_key(json, "memory_usage_byte");
    writer_open(json, '[');
    for (size_t i = 0; i < record->timing.raw_count; i++)
        writer_count(json, (uint64_t)record->max_rss);
    writer_close(json, ']');
}

// The exit code in a counter's name; false for other counters. A signal has no code.
static bool exit_of(const char *name, json_int_t *code, bool *signal)
{
    *signal = strcmp(name, "signal") == 0 || text_starts(name, "signal_");
    char *end = NULL;
    if (text_starts(name, "exit_"))
        *code = strtoll(name + strlen("exit_"), &end, 10);
    return *signal || (end && *end == '\0' && end > name + strlen("exit_"));
}

// A record has the number of runs per exit code, not which ones: nonzero codes are written first.
static void add_exit_codes(struct json_writer *json, const struct bilanx_record *record,
                           const json_t *counters)
{
    size_t left = record->timing.raw_count;
    const char *name;
    json_t *value;
    writer_key(json, "exit_codes");
    writer_open(json, '[');
    json_object_foreach((json_t *)counters, name, value)
    {
        json_int_t code = 0;
        bool signal;
        double times = exit_of(name, &code, &signal) ? json_number_value(value) : 0;
        char digits[40];
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, code);
        for (; times >= 1 && left > 0; times--, left--)
            writer_raw(json, signal ? "null" : digits);
    }
    for (; left > 0; left--)
        writer_count(json, 0);
    writer_close(json, ']');
}

static void add_parameters(struct json_writer *json, const struct bilanx_task *task)
{
    if (!task->parameters)
        return;
    AUTO(json) json_t *parameters = extra_object(task->parameters);
    const char *name;
    json_t *value;
    writer_key(json, "parameters");
    writer_open(json, '{');
    json_object_foreach(parameters, name, value)
    {
        AUTO(memory) char *other = json_is_string(value) ? NULL : print_json(value);
        writer_key_text(json, name, other ? other : json_string_value(value));
    }
    writer_close(json, '}');
}

static char *command_of(const struct bilanx_record *record)
{
    const struct bilanx_task *task = &record->task;
    AUTO(memory) char *choice = hyperfine_choice(task->parameters);
    // Parameters are written separately.
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
    AUTO(memory) char *choice = hyperfine_choice(task->parameters);
    if (task->sub_label && !text_equal(choice, task->sub_label))
        losses_add(losses, "'task.sub_label', now part of 'command'");
    if (task->stmt && task->label && !text_equal(task->stmt, task->label))
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
    writer_open(&json, '{');
    writer_key_text(&json, "command", command);
    add_times(&json, record, counters);
    add_sizes(&json, record);
    add_exit_codes(&json, record, counters);
    add_parameters(&json, &record->task);
    writer_close(&json, '}');
    fputs(text_get(&text), out);
    tell_losses(record, counters, losses);
}

void hyperfine_write(const struct bilanx_record *records, size_t count, FILE *out,
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

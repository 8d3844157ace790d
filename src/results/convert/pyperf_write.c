// pyperf_write: writes records as pyperf's JSON. Its readers are strict: values must be above 0,
// texts in metadata must be nonempty single lines, and benchmark names must be unique.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "document.h"
#include "gather.h"
#include "pyperf.h"

// Converts a text for metadata: one line, trimmed. The caller frees it.
static char *cleaned(const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1]))
        size--;
    char *clean = mem_text_n(text, size);
    for (char *at = clean; *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    return clean;
}

static void set_text(json_t *metadata, const char *key, const char *text, struct losses *losses)
{
    AUTO(memory) char *clean = cleaned(text);
    if (strcmp(clean, text) != 0 || !*clean)
        losses_add(losses, "spaces and line breaks in '%.60s'", key);
    if (*clean)
        json_object_set_new_nocheck(metadata, key, json_string_nocheck(clean));
}

static char *name_of(const struct bilanx_record *record, struct losses *losses)
{
    struct losses none = {0};  // labels with a '/' are stored separately
    AUTO(memory) char *name = task_name_join(record, &none);
    losses_done(&none);
    char *clean = cleaned(name);
    if (strcmp(clean, name) != 0)
        losses_add(losses, "spaces and line breaks in 'name'");
    if (*clean)
        return clean;
    free(clean);
    return mem_text("unnamed");
}

// Writes only the machine and our own keys; pyperf accepts unknown keys as text or number.
static void set_machine(json_t *metadata, const char *machine_text, struct losses *losses)
{
    AUTO(json) json_t *machine = extra_object(machine_text);
    const char *key;
    json_t *value;
    json_object_foreach(machine, key, value)
    {
        const char *name = key;
        for (size_t i = 0; pyperf_machine[i][0]; i++)
            name = strcmp(key, pyperf_machine[i][1]) == 0 ? pyperf_machine[i][0] : name;
        bool tags = json_is_array(value) && strcmp(name, "tags") == 0;
        if (json_is_string(value))
            set_text(metadata, name, json_string_value(value), losses);
        else if (json_is_number(value) || tags)
            json_object_set(metadata, name, value);
        else
            losses_add(losses, "'machine.%.60s'", key);
    }
}

static json_t *metadata_of(const struct bilanx_record *record, const char *name,
                           struct losses *losses)
{
    json_t *metadata = json_object();
    set_machine(metadata, record->machine, losses);
    set_text(metadata, "name", name, losses);
    json_object_set_new(metadata, "unit", json_string("second"));
    for (const struct pyperf_key *key = pyperf_keys; key->key; key++) {
        const char *text = *(char *const *)((const char *)record + key->offset);
        bool said = key == pyperf_keys ? text_equal(text, name) : text_equal(text, "pyperf");
        if (text && !said)
            set_text(metadata, key->key, text, losses);
    }
    if (record->task.num_threads)
        json_object_set_new(metadata, "bilanx_num_threads",
                            json_integer((json_int_t)record->task.num_threads));
    if (record->rates && record->rates->bytes > 0)
        json_object_set_new(metadata, "bilanx_bytes", json_real(record->rates->bytes));
    if (record->rates && record->rates->items > 0)
        json_object_set_new(metadata, "bilanx_items", json_real(record->rates->items));
    AUTO(json) json_t *counters = extra_object(record->counters);
    const char *counter;
    json_t *value;
    json_object_foreach(counters, counter, value)
    {
        AUTO(memory) char *key = mem_format(PYPERF_COUNTER "%s", counter);
        json_object_set_nocheck(metadata, key, value);
    }
    return metadata;
}

// A run with the values from `first` on.
static json_t *run_of(const struct bilanx_record *record, size_t first, size_t count,
                      struct losses *losses)
{
    const struct bilanx_timing *timing = &record->timing;
    json_t *values = json_array();
    for (size_t i = first; i < first + count && i < timing->raw_count; i++) {
        double value = timing->raw_times[i] / (double)timing->number_per_run;
        if (value > 0)
            json_array_append_new(values, json_real(value));
        else
            losses_add(losses, "a time of 0");
    }
    return json_pack("{s:{s:I},s:o}", "metadata", "loops", (json_int_t)timing->number_per_run,
                     "values", values);
}

// A run needs values or warm-ups.
static void append_run(json_t *runs, json_t *run)
{
    if (json_array_size(json_object_get(run, "values")) == 0)
        json_object_del(run, "values");
    if (json_object_get(run, "values") || json_array_size(json_object_get(run, "warmups")))
        json_array_append(runs, run);
    json_decref(run);
}

static bool has_values(const json_t *benchmark)
{
    const json_t *run;
    size_t i;
    json_array_foreach(json_object_get(benchmark, "runs"), i, run)
    {
        if (json_object_get(run, "values"))
            return true;
    }
    return false;
}

static void add_sizes(json_t *run, const struct bilanx_record *record)
{
    json_t *metadata = json_object_get(run, "metadata");
    bool command = text_equal(record->task.language, "command");
    if (record->max_rss > 0 && record->max_rss < 0x1p63)
        json_object_set_new(metadata, command ? "command_max_rss" : "mem_max_rss",
                            json_integer((json_int_t)record->max_rss));
    if (record->elapsed > 0)
        json_object_set_new(metadata, "duration", json_real(record->elapsed));
}

// Restores the runs as pyperf wrote them, if they came from it.
static bool add_own_runs(json_t *runs, const struct bilanx_record *record, struct losses *losses)
{
    AUTO(json) json_t *own = extra_kept(record->extra, "pyperf");
    const json_t *kept = json_object_get(own, "runs"), *run;
    size_t i, total = 0, first = 0;
    json_array_foreach(kept, i, run)
    {
        json_int_t values = json_integer_value(json_object_get(run, "values"));
        if (values < 0 || !json_is_object(run))
            return false;
        total += (size_t)values;
    }
    if (total == 0 || total != record->timing.raw_count)
        return false;
    json_array_foreach(kept, i, run)
    {
        size_t count = (size_t)json_integer_value(json_object_get(run, "values"));
        json_t *made = run_of(record, first, count, losses);
        json_t *warmups = json_object_get(run, "warmups");
        if (json_is_array(warmups))
            json_object_set(made, "warmups", warmups);
        json_object_update_missing(json_object_get(made, "metadata"),
                                   json_object_get(run, "metadata"));
        // `loops` already has the whole number of calls.
        json_object_del(json_object_get(made, "metadata"), "inner_loops");
        append_run(runs, made);
        first += count;
    }
    return true;
}

static void add_runs(json_t *runs, const struct bilanx_record *record, struct losses *losses)
{
    size_t count = record->timing.raw_count;
    if (add_own_runs(runs, record, losses))
        return;
    // With this method each raw time is from a separate process, like a run.
    size_t step = text_equal(record->timing.method, "rigorous") ? 1 : count;
    for (size_t i = 0; i < count; i += step) {
        json_t *run = run_of(record, i, step, losses);
        if (i == 0)
            add_sizes(run, record);
        append_run(runs, run);
    }
}

static void write_value(const json_t *value, FILE *out)
{
    AUTO(memory) char *text = print_json(value);
    fputs(text, out);
}

void pyperf_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses)
{
    AUTO(json) json_t *benchmarks = json_object();  // by name
    AUTO(task_names) struct task_names names = {0};
    for (size_t i = 0; i < count; i++) {
        if (!format_takes(&format_pyperf, &records[i]))
            continue;
        AUTO(memory) char *name =
            task_names_claim(&names, &records[i], name_of(&records[i], losses), losses);
        json_t *benchmark = json_object_get(benchmarks, name);
        if (!benchmark) {
            benchmark =
                json_pack("{s:o,s:[]}", "metadata", metadata_of(&records[i], name, losses), "runs");
            json_object_set_new_nocheck(benchmarks, name, benchmark);
        }
        add_runs(json_object_get(benchmark, "runs"), &records[i], losses);
    }
    const char *separator = "\n", *name;
    json_t *benchmark;
    fputs("{\"benchmarks\": [", out);
    json_object_foreach(benchmarks, name, benchmark)
    {
        if (!has_values(benchmark))
            continue;
        fputs(separator, out);
        write_value(benchmark, out);
        separator = ",\n";
    }
    fputs("\n],\n\"version\": \"" PYPERF_VERSION "\"}\n", out);
}

// google_write: writes records as Google Benchmark's JSON, one entry per time.
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "document.h"
#include "gather.h"
#include "google.h"

static void add_real(struct json_writer *json, const char *key, double number)
{
    AUTO(text) struct text digits = {0};
    document_add_real(&digits, number);
    writer_key(json, key);
    writer_raw(json, text_get(&digits));
}

static void add_number(struct json_writer *json, const char *key, const json_t *value)
{
    double number = json_number_value(value);
    writer_key_count(json, key, number > 0 && number < 0x1p63 ? (uint64_t)number : 0);
}

static void add_array(struct json_writer *json, const char *key, const json_t *value)
{
    AUTO(memory) char *text = json_is_array(value) ? print_json(value) : mem_text("[]");
    writer_key(json, key);
    writer_raw(json, text);
}

static void add_text(struct json_writer *json, const char *key, const json_t *value)
{
    AUTO(memory) char *other = value && !json_is_string(value) ? print_json(value) : NULL;
    const char *text = json_string_value(value);
    writer_key_text(json, key, text ? text : other ? other : "");
}

static void add_flag(struct json_writer *json, const char *key, const json_t *value)
{
    writer_key(json, key);
    writer_bool(json, json_is_true(value));
}

// Keys that every context has, in order, and our names for them.
static const struct context_key {
    const char *key, *ours;
    void (*add)(struct json_writer *json, const char *key, const json_t *value);
} context_keys[] = {
    {"date", "date", add_text},
    {"host_name", "host", add_text},
    {"executable", "executable", add_text},
    {"num_cpus", "cores", add_number},
    {"mhz_per_cpu", "mhz_per_cpu", add_number},
    {"cpu_scaling_enabled", "cpu_scaling_enabled", add_flag},
    {"caches", "caches", add_array},
    {"load_avg", "load_avg", add_array},
    {"library_build_type", "library_build_type", add_text},
};
enum { CONTEXT_KEYS = sizeof context_keys / sizeof *context_keys };

// Other facts follow as custom context: text.
static void write_context(const char *machine_text, FILE *out)
{
    AUTO(json) json_t *machine = extra_object(machine_text);
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (size_t i = 0; i < CONTEXT_KEYS; i++) {
        const struct context_key *key = &context_keys[i];
        const json_t *ours = json_object_get(machine, key->ours);
        key->add(&json, key->key, ours ? ours : json_object_get(machine, key->key));
        json_object_del(machine, key->ours);
        json_object_del(machine, key->key);  // a context has every key once
    }
    const char *key;
    json_t *value;
    json_object_foreach(machine, key, value)
    {
        if (strcmp(key, "json_schema_version") == 0)
            add_number(&json, key, value);
        else
            add_text(&json, key, value);
    }
    writer_close(&json, '}');
    fprintf(out, "{\n\"context\": %s,\n\"benchmarks\": [", text_get(&text));
}

struct entry {
    const struct bilanx_record *record;
    const char *name;
    uint64_t family, instance;
    const json_t *counters;
    const json_t *more;  // kept from another file of this format
};

static void add_head(struct json_writer *json, const struct entry *entry, size_t repetition)
{
    const struct bilanx_record *record = entry->record;
    size_t repetitions = record->timing.raw_count ? record->timing.raw_count : 1;
    uint64_t threads = record->task.num_threads;
    writer_key_text(json, "name", entry->name);
    writer_key_count(json, "family_index", entry->family);
    writer_key_count(json, "per_family_instance_index", entry->instance);
    writer_key_text(json, "run_name", entry->name);
    writer_key_text(json, "run_type", "iteration");
    writer_key_count(json, "repetitions", repetitions);
    writer_key_count(json, "repetition_index", repetition);
    writer_key_count(json, "threads", threads ? threads : 1);
}

static void add_failure(struct json_writer *json, const struct bilanx_failure *error)
{
    bool skipped = text_equal(error->code, "skipped");
    writer_key(json, skipped ? "skipped" : "error_occurred");
    writer_bool(json, true);
    writer_key_text(json, skipped ? "skip_message" : "error_message",
                    error->text   ? error->text
                    : error->code ? error->code
                                  : "failed");
}

static void add_counters(struct json_writer *json, const struct entry *entry)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry->counters, key, value)
    {
        if (json_is_number(value) && !google_is_key(key))
            add_real(json, key, json_number_value(value));
    }
    json_object_foreach(json_object_get(entry->more, "not_finite"), key, value)
    {
        const char *text = json_string_value(value);
        if (!text || google_is_key(key) || json_object_get(entry->counters, key))
            continue;
        writer_key(json, key);
        writer_raw(json, strcmp(text, "Infinity") == 0    ? "Infinity"
                         : strcmp(text, "-Infinity") == 0 ? "-Infinity"
                                                          : "NaN");
    }
}

static void add_rate(struct json_writer *json, const char *key, double each, double seconds)
{
    if (each > 0 && isfinite(each / seconds))
        add_real(json, key, each / seconds);
}

static void add_times(struct json_writer *json, const struct entry *entry, size_t i)
{
    const struct bilanx_record *record = entry->record;
    const struct bilanx_timing *timing = &record->timing;
    uint64_t calls = timing->number_per_run ? timing->number_per_run : 1;
    double number = (double)calls, raw = timing->raw_times[i];
    double raw_cpu = i < timing->raw_cpu_count ? timing->raw_cpu_times[i] : 0;
    bool huge = !isfinite(raw * 1e9) || !isfinite(raw_cpu * 1e9);
    double unit = huge ? 1 : 1e9;
    writer_key_count(json, "iterations", calls);
    add_real(json, "real_time", raw * unit / number);
    add_real(json, "cpu_time", raw_cpu * unit / number);
    writer_key_text(json, "time_unit", huge ? "s" : "ns");
    bool by_cpu = raw_cpu > 0 && !google_uses_real_time(entry->name);
    double seconds = (by_cpu ? raw_cpu : raw) / number;
    if (record->rates) {
        add_rate(json, "bytes_per_second", record->rates->bytes, seconds);
        add_rate(json, "items_per_second", record->rates->items, seconds);
    }
    add_counters(json, entry);
}

static void add_no_times(struct json_writer *json)
{
    writer_key_count(json, "iterations", 1);
    add_real(json, "real_time", 0);
    add_real(json, "cpu_time", 0);
    writer_key_text(json, "time_unit", "ns");
}

static void write_entry(const struct entry *entry, size_t repetition, FILE *out)
{
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    add_head(&json, entry, repetition);
    if (entry->record->error)
        add_failure(&json, entry->record->error);
    if (entry->record->timing.raw_count)
        add_times(&json, entry, repetition);
    else
        add_no_times(&json);
    const char *label = json_string_value(json_object_get(entry->more, "label"));
    if (label)
        writer_key_text(&json, "label", label);
    writer_close(&json, '}');
    fputs(text_get(&text), out);
}

static void tell_losses(const struct entry *entry, struct losses *losses)
{
    const struct bilanx_record *record = entry->record;
    const struct bilanx_failure *error = record->error;
    if (record->timing.method && strcmp(record->timing.method, "google") != 0)
        losses_add(losses, "'method'");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry->counters, key, value)
    {
        if (google_is_key(key))
            losses_add(losses, "the counter '%.60s', as it is a key of the format", key);
    }
    if (error && !text_equal(error->code, "failed") && !text_equal(error->code, "skipped"))
        losses_add(losses, "'error.code'");
    json_object_foreach((json_t *)entry->more, key, value)
    {
        if (strcmp(key, "label") != 0 && strcmp(key, "not_finite") != 0)
            losses_add(losses, "'google.%.60s'", key);
    }
}

// Numbers families by label, and the records of a family.
static void count_family(json_t *families, const char *label, struct entry *entry)
{
    json_t *family = json_object_get(families, label);
    if (!family) {
        family = json_pack("{s:I,s:I}", "index", (json_int_t)json_object_size(families), "next",
                           (json_int_t)0);
        json_object_set_new_nocheck(families, label, family);
    }
    json_t *next = json_object_get(family, "next");
    entry->family = (uint64_t)json_integer_value(json_object_get(family, "index"));
    entry->instance = (uint64_t)json_integer_value(next);
    json_integer_set(next, json_integer_value(next) + 1);
}

static char *full_name(const struct bilanx_record *record, struct losses *losses)
{
    AUTO(memory) char *name = task_name_join(record, losses);
    unsigned long long threads = record->task.num_threads;
    return threads > 1 ? mem_format("%s/threads:%llu", name, threads) : TAKE(name);
}

void google_write(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses)
{
    const char *machine = NULL, *separator = "\n";
    AUTO(json) json_t *families = json_object();
    AUTO(task_names) struct task_names names = {0};
    for (size_t i = 0; i < count && !machine; i++)
        machine = records[i].machine;
    write_context(machine, out);
    for (size_t i = 0; i < count; i++) {
        const struct bilanx_record *record = &records[i];
        if (!format_takes(&format_google, record))
            continue;
        AUTO(memory) char *name =
            task_names_claim(&names, record, full_name(record, losses), losses);
        AUTO(json) json_t *counters = extra_object(record->counters);
        AUTO(json) json_t *more = extra_kept(record->extra, "google");
        struct entry entry = {record, name, .counters = counters, .more = more};
        count_family(families, record->task.label ? record->task.label : "", &entry);
        tell_losses(&entry, losses);
        if (!text_equal(record->machine, machine))
            losses_add(losses, "a 'machine' that differs from the first one's");
        size_t times = record->timing.raw_count ? record->timing.raw_count : 1;
        for (size_t j = 0; j < times; j++, separator = ",\n") {
            fputs(separator, out);
            write_entry(&entry, j, out);
        }
    }
    fputs("\n]\n}\n", out);
}

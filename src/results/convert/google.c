// google: reads Google Benchmark's JSON. Entries of the same run_name become one record whose times
// are the repetitions. Aggregates are ignored unless there is nothing else.
#include "google.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "document.h"
#include "gather.h"

static bool recognises(const char *bytes, size_t size)
{
    if (document_begins_with(bytes, size, 1, "context"))
        return true;
    return document_begins_with(bytes, size, 1, "benchmarks") &&
           (document_begins_with(bytes, size, 3, "real_time") ||
            document_begins_with(bytes, size, 3, "run_name"));
}

bool google_is_key(const char *key)
{
    static const char *const keys[] = {
        "name",
        "family_index",
        "per_family_instance_index",
        "run_name",
        "run_type",
        "repetitions",
        "threads",
        "repetition_index",
        "iterations",
        "real_time",
        "cpu_time",
        "time_unit",
        "label",
        "bytes_per_second",
        "items_per_second",
        "error_occurred",
        "error_message",
        "skipped",
        "skip_message",
        "aggregate_name",
        "aggregate_unit",
        "big_o",
        "rms",
        "cpu_coefficient",
        "real_coefficient",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

bool google_uses_real_time(const char *name)
{
    return strstr(name, "/real_time") || strstr(name, "/manual_time");
}

// All entries of one name.
struct group {
    struct place place;  // path: the name
    char *machine;       // of the record; copied
    struct run_times runs;
    struct counted counters;
    struct bilanx_rates rates;
    json_t *more;        // unknown keys, and the label
    json_t *aggregates;  // name to entry
    struct bilanx_task task;
};

static void group_done(struct group *group)
{
    run_times_done(&group->runs);
    counted_done(&group->counters);
    json_decref(group->more);
    json_decref(group->aggregates);
    record_task_done(&group->task);
}
SCOPE_VALUE(group, group_done)

// "/threads:2" is redundant with `threads`; "/threads:1" would not be written again.
static struct bilanx_error read_task(struct group *group, const json_t *entry)
{
    struct bilanx_task *task = &group->task;
    const char *name = group->place.path;
    uint64_t threads = 0;
    BILANX_TRY(place_count(&group->place, entry, "threads", &threads));
    char suffix[40] = "";
    if (threads > 1)
        snprintf(suffix, sizeof suffix, "/threads:%llu", (unsigned long long)threads);
    size_t size = strlen(name), cut = strlen(suffix);
    if (cut && size > cut && strcmp(name + size - cut, suffix) == 0)
        size -= cut;
    record_task_done(task);
    task_name_split(name, size, task);
    task->num_threads = threads;
    return BILANX_SUCCESS;
}

static struct bilanx_error units_per_second(const struct place *place, const json_t *entry,
                                            double *out)
{
    static const struct {
        const char *name;
        double per_second;
    } units[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}};
    const char *name = "ns";
    BILANX_TRY(place_text(place, entry, "time_unit", &name));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0) {
            *out = units[i].per_second;
            return BILANX_SUCCESS;
        }
    return place_fault(place, "time_unit", "ns, us, ms or s", json_object_get(entry, "time_unit"));
}

static struct bilanx_error read_rates(struct group *group, const json_t *entry, double time,
                                      double cpu)
{
    double bytes = 0, items = 0;
    BILANX_TRY(place_number(&group->place, entry, "bytes_per_second", &bytes));
    BILANX_TRY(place_number(&group->place, entry, "items_per_second", &items));
    double seconds = cpu > 0 && !google_uses_real_time(group->place.path) ? cpu : time;
    if (group->rates.bytes == 0)
        group->rates.bytes = rate_per_call(bytes, seconds);
    if (group->rates.items == 0)
        group->rates.items = rate_per_call(items, seconds);
    return BILANX_SUCCESS;
}

// Other keys with a number are counters; the rest is kept unchanged.
static void read_more(struct group *group, const json_t *entry)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry, key, value)
    {
        const char *odd = document_odd_number(value);
        if (google_is_key(key) && strcmp(key, "label") != 0)
            continue;
        if (strcmp(key, "label") == 0)
            json_object_set(group->more, key, value);
        else if (json_is_number(value))
            counted_add(&group->counters, key, json_number_value(value));
        else if (odd)
            counted_add_odd(&group->counters, key, odd);
        else if (!json_is_null(value))
            json_object_set(group->more, key, value);
    }
}

static struct bilanx_error read_times(struct group *group, const json_t *entry, uint64_t number)
{
    double time = NAN, cpu = NAN, unit = 1;
    BILANX_TRY(place_time(&group->place, entry, "real_time", &time));
    BILANX_TRY(place_time(&group->place, entry, "cpu_time", &cpu));
    BILANX_TRY(units_per_second(&group->place, entry, &unit));
    if (isnan(time))
        return place_fault(&group->place, "real_time", "a number", NULL);
    if (!run_times_add(&group->runs, (struct run_time){time, cpu, unit, number}))
        return place_fault(&group->place, "real_time", "a plausible time",
                           json_object_get(entry, "real_time"));
    read_more(group, entry);
    return read_rates(group, entry, time / unit, cpu / unit);
}

static struct bilanx_error add_iteration(struct group *group, const json_t *entry)
{
    uint64_t number = 0;
    BILANX_TRY(place_count(&group->place, entry, "iterations", &number));
    if (number == 0)
        return place_fault(&group->place, "iterations", "a whole number of at least 1", NULL);
    return read_times(group, entry, number);
}

static bool is_true(const json_t *entry, const char *key)
{
    return json_is_true(json_object_get(entry, key));
}

static struct bilanx_error give_failure(const struct group *group, const json_t *entry,
                                        const struct reader_sink *sink)
{
    bool skipped = is_true(entry, "skipped");
    const char *text = skipped ? "skipped" : "failed";
    const char *label = NULL;
    BILANX_TRY(place_text(&group->place, entry, skipped ? "skip_message" : "error_message", &text));
    BILANX_TRY(place_text(&group->place, entry, "label", &label));
    struct bilanx_record record = {.machine = mem_text(group->machine)};
    struct bilanx_error error = {.status = skipped ? BILANX_E_SKIPPED : BILANX_E_FAILED};
    record_fail(&record, &error, NULL, NULL);
    free(record.error->text);
    record.error->text = mem_text(text);
    record_copy_task(&group->task, &record.task);
    if (label)
        extra_keep(&record.extra, "google", json_pack("{s:s}", "label", label));
    return format_give(sink, &record);
}

// Older versions show the type of an entry only by its name.
static const char *aggregate_name(const json_t *entry)
{
    const char *type = json_string_value(json_object_get(entry, "run_type"));
    if (type && strcmp(type, "aggregate") != 0)
        return NULL;
    const char *named = json_string_value(json_object_get(entry, "aggregate_name"));
    if (type || named)
        return named ? named : "aggregate";
    static const char *const suffixes[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
    const char *name = json_string_value(json_object_get(entry, "name"));
    for (size_t i = 0; name && i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t size = strlen(name), end = strlen(suffixes[i]);
        if (size > end && strcmp(name + size - end, suffixes[i]) == 0)
            return suffixes[i] + 1;
    }
    return NULL;
}

static void keep_aggregate(struct group *group, const char *name, const json_t *entry)
{
    json_t *kept = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry, key, value)
    {
        bool time = strcmp(key, "real_time") == 0 || strcmp(key, "cpu_time") == 0 ||
                    strcmp(key, "time_unit") == 0 || strcmp(key, "iterations") == 0;
        if (time || (json_is_number(value) && !google_is_key(key)))
            json_object_set(kept, key, value);
    }
    json_object_set_new(group->aggregates, name, kept);
}

// If there are only aggregates, uses the median, or the mean if there is no median.
static struct bilanx_error use_aggregates(struct group *group, const json_t *entries)
{
    const json_t *best = NULL, *entry;
    size_t i;
    json_array_foreach(entries, i, entry)
    {
        const char *name = aggregate_name(entry);
        if (!name || !json_object_get(entry, "real_time"))
            continue;
        keep_aggregate(group, name, entry);
        if (strcmp(name, "median") == 0 || (strcmp(name, "mean") == 0 && !best))
            best = entry;
    }
    return best ? read_times(group, best, 1) : BILANX_SUCCESS;
}

static struct bilanx_error give_group(struct group *group, const struct reader_sink *sink)
{
    bool aggregated = json_object_size(group->aggregates) > 0;
    struct bilanx_record record = {.kind = mem_text("measurement"),
                                   .machine = mem_text(group->machine)};
    record_copy_task(&group->task, &record.task);
    run_times_timing(&group->runs, aggregated ? "google-aggregates" : "google", &record.timing);
    record.counters = counted_object(&group->counters);
    if (group->rates.bytes > 0 || group->rates.items > 0) {
        record.rates = mem_new(struct bilanx_rates);
        *record.rates = group->rates;
    }
    if (group->counters.odd)
        json_object_set(group->more, "not_finite", group->counters.odd);
    if (aggregated)
        json_object_set(group->more, "aggregates", group->aggregates);
    extra_keep(&record.extra, "google", json_incref(group->more));
    return format_give(sink, &record);
}

static struct bilanx_error read_group(const struct place *place, const json_t *entries,
                                      char *machine, const struct reader_sink *sink)
{
    AUTO(group) struct group group = {
        .place = *place, .machine = machine, .more = json_object(), .aggregates = json_object()};
    const json_t *entry;
    size_t i;
    json_array_foreach(entries, i, entry)
    {
        BILANX_TRY(read_task(&group, entry));
        if (is_true(entry, "error_occurred") || is_true(entry, "skipped"))
            BILANX_TRY(give_failure(&group, entry, sink));
        else if (!aggregate_name(entry))
            BILANX_TRY(add_iteration(&group, entry));
    }
    if (group.runs.count == 0)
        BILANX_TRY(use_aggregates(&group, entries));
    return group.runs.count ? give_group(&group, sink) : BILANX_SUCCESS;
}

// Converts the context to our keys where they exist; skips empty values.
static char *read_context(const json_t *context)
{
    static const char *const renamed[][2] = {{"num_cpus", "cores"}, {"host_name", "host"}};
    AUTO(json) json_t *machine = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)context, key, value)
    {
        const char *text = json_string_value(value);
        bool empty = json_is_null(value) || (text && !*text) ||
                     (json_is_array(value) && json_array_size(value) == 0) ||
                     (json_is_integer(value) && json_integer_value(value) == 0);
        const char *name = key;
        for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
            name = strcmp(key, renamed[i][0]) == 0 ? renamed[i][1] : name;
        if (!empty)
            json_object_set(machine, name, value);
    }
    return json_object_size(machine) ? print_json(machine) : NULL;
}

static struct bilanx_error check_version(const struct place *place, const json_t *context)
{
    enum { KNOWN = 1 };
    const json_t *version = json_object_get(context, "json_schema_version");
    if (!version || (json_is_integer(version) && json_integer_value(version) <= KNOWN))
        return BILANX_SUCCESS;
    AUTO(memory) char *shown = print_json(version);
    return bilanx_error_make(
        BILANX_E_INPUT,
        "%s: has 'json_schema_version' %.20s, but this bilanx reads %d: use a newer bilanx",
        place->file, shown, KNOWN);
}

// The name shared by all entries of a benchmark. In older versions it is the name without the
// suffix of an aggregate.
static struct bilanx_error run_name(const struct place *place, const json_t *entry, char **out)
{
    const char *name = NULL, *run = NULL;
    BILANX_TRY(place_text(place, entry, "name", &name));
    BILANX_TRY(place_text(place, entry, "run_name", &run));
    if (!name && !run)
        return place_fault(place, "name", "a string", NULL);
    AUTO(memory) char *whole = mem_text(run ? run : name);
    const char *aggregate = run ? NULL : aggregate_name(entry);
    size_t size = strlen(whole), cut = aggregate ? strlen(aggregate) + 1 : 0;
    bool ends = cut && size > cut && whole[size - cut] == '_' &&
                strcmp(whole + size - cut + 1, aggregate) == 0;
    if (ends)
        whole[size - cut] = '\0';
    *out = TAKE(whole);
    return BILANX_SUCCESS;
}

// Groups entries by name, in order of first occurrence.
static struct bilanx_error group_entries(const struct place *place, const json_t *entries,
                                         json_t *groups)
{
    json_t *entry;
    size_t i;
    json_array_foreach(entries, i, entry)
    {
        char path[40];
        snprintf(path, sizeof path, "benchmarks[%zu]", i);
        const struct place here = {place->file, path};
        if (!json_is_object(entry))
            return place_fault(&here, "", "an object", entry);
        AUTO(memory) char *name = NULL;
        BILANX_TRY(run_name(&here, entry, &name));
        json_t *group = json_object_get(groups, name);
        if (!group) {
            group = json_array();
            json_object_set_new_nocheck(groups, name, group);
        }
        json_array_append(group, entry);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_google(struct lines *lines, const struct reader_sink *sink)
{
    AUTO(json) json_t *document = NULL;
    BILANX_TRY(document_read_odd(lines, &document));
    const struct place place = {lines->name, ""};
    const json_t *context = NULL, *entries = NULL;
    BILANX_TRY(place_object(&place, document, "context", &context));
    BILANX_TRY(place_array(&place, document, "benchmarks", &entries));
    if (!entries)
        return place_fault(&place, "benchmarks", "an array", NULL);
    BILANX_TRY(check_version(&place, context));
    AUTO(json) json_t *groups = json_object();
    BILANX_TRY(group_entries(&place, entries, groups));
    AUTO(memory) char *machine = context ? read_context(context) : NULL;
    if (machine && strlen(machine) > FACTS_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT, "%s: a 'context' of over %d kB", lines->name,
                                 FACTS_LARGEST >> 10);
    const char *name;
    json_t *group;
    json_object_foreach(groups, name, group)
    {
        BILANX_TRY(read_group(&(struct place){lines->name, name}, group, machine, sink));
    }
    return BILANX_SUCCESS;
}

static const char *const kinds[] = {"measurement", "failure", NULL};
static const char *const holds[] = {
    "kind",    "task.label",     "task.sub_label", "task.num_threads",
    "method",  "number_per_run", "raw_times",      "raw_cpu_times",
    "stats",   "rates.bytes",    "rates.items",    "counters",
    "machine", "error.code",     "error.text",     "google",
    NULL,
};

const struct format format_google = {
    .face = {.name = "google", .summary = "Google Benchmark's JSON", .extensions = ""},
    .recognises = recognises,
    .read = read_google,
    .write = google_write,
    .kinds = kinds,
    .holds = holds,
};

// pyperf: reads its JSON, layout 1.0. Each benchmark becomes a record; the values of all its runs,
// which are processes, are its times.
#include "pyperf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "document.h"
#include "gather.h"

#define AT(member) offsetof(struct bilanx_record, member)
const struct pyperf_key pyperf_keys[] = {
    {"bilanx_label", AT(task.label)},
    {"bilanx_sub_label", AT(task.sub_label)},
    {"bilanx_description", AT(task.description)},
    {"bilanx_env", AT(task.env)},
    {"bilanx_stmt", AT(task.stmt)},
    {"bilanx_setup", AT(task.setup)},
    {"bilanx_language", AT(task.language)},
    {"bilanx_side", AT(side)},
    {"bilanx_method", AT(timing.method)},
    {"bilanx_core", AT(core)},
    {0},
};

const char *const pyperf_machine[][2] = {
    {"hostname", "host"}, {"cpu_count", "cores"}, {"cpu_model_name", "cpu"}, {"date", "date"}, {0},
};

static bool recognises(const char *bytes, size_t size)
{
    if (!document_begins_with(bytes, size, 1, "benchmarks") ||
        document_begins_with(bytes, size, 1, "context"))
        return false;
    return document_begins_with(bytes, size, 3, "runs") ||
           document_begins_with(bytes, size, 1, "version");
}

struct benchmark {
    struct place place;
    json_t *metadata;  // of the file and of the benchmark
    json_t *kept;      // data of each run other than values
    struct run_times runs;
    double duration, max_rss;
};

static void benchmark_done(struct benchmark *benchmark)
{
    json_decref(benchmark->metadata);
    json_decref(benchmark->kept);
    run_times_done(&benchmark->runs);
}
SCOPE_VALUE(benchmark, benchmark_done)

// A run's metadata overrides the benchmark's.
static struct bilanx_error loops_of(const struct benchmark *benchmark, const struct place *place,
                                    const json_t *own, uint64_t *out)
{
    uint64_t loops = 1, inner = 1;
    const json_t *const levels[] = {benchmark->metadata, own};
    for (size_t i = 0; i < 2; i++) {
        BILANX_TRY(place_count(place, levels[i], "loops", &loops));
        BILANX_TRY(place_count(place, levels[i], "inner_loops", &inner));
    }
    if (__builtin_mul_overflow(loops, inner, out))
        return bilanx_error_make(BILANX_E_INPUT, "%s: '%s': loops x inner_loops is too large",
                                 place->file, place->path);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_values(struct benchmark *benchmark, const struct place *place,
                                       const json_t *values, uint64_t number)
{
    size_t i;
    const json_t *value;
    json_array_foreach(values, i, value)
    {
        char key[40];
        snprintf(key, sizeof key, "values[%zu]", i);
        if (!json_is_number(value) ||
            !run_times_add(&benchmark->runs,
                           (struct run_time){json_number_value(value), NAN, 1, number}))
            return place_fault(place, key, "a number of at least 0", value);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_run(struct benchmark *benchmark, const struct place *place,
                                    const json_t *run)
{
    if (!json_is_object(run))
        return place_fault(place, "", "an object", run);
    const json_t *metadata = NULL, *values = NULL;
    BILANX_TRY(place_object(place, run, "metadata", &metadata));
    BILANX_TRY(place_array(place, run, "values", &values));
    double duration = 0, size = 0;
    uint64_t number = 1;
    BILANX_TRY(loops_of(benchmark, place, metadata, &number));
    BILANX_TRY(place_time(place, metadata, "duration", &duration));
    BILANX_TRY(place_number(place, metadata, "mem_max_rss", &size));
    BILANX_TRY(place_number(place, metadata, "command_max_rss", &size));
    BILANX_TRY(read_values(benchmark, place, values, number));
    benchmark->duration += duration;
    benchmark->max_rss = size > benchmark->max_rss ? size : benchmark->max_rss;
    json_t *kept = json_copy((json_t *)run);
    json_object_set_new(kept, "values", json_integer((json_int_t)json_array_size(values)));
    json_array_append_new(benchmark->kept, kept);
    return BILANX_SUCCESS;
}

static char *take_text(json_t *metadata, const char *key)
{
    const char *text = json_string_value(json_object_get(metadata, key));
    char *copy = mem_text(text);
    if (text)
        json_object_del(metadata, key);
    return copy;
}

static void take_counters(json_t *metadata, struct bilanx_record *record)
{
    AUTO(json) json_t *counters = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (text_starts(key, PYPERF_COUNTER) && json_is_number(value))
            json_object_set(counters, key + strlen(PYPERF_COUNTER), value);
    }
    json_object_foreach(counters, key, value)
    {
        AUTO(memory) char *name = mem_format(PYPERF_COUNTER "%s", key);
        json_object_del(metadata, name);
    }
    if (json_object_size(counters))
        record->counters = print_json(counters);
    double bytes = json_number_value(json_object_get(metadata, "bilanx_bytes"));
    double items = json_number_value(json_object_get(metadata, "bilanx_items"));
    if (bytes > 0 || items > 0) {
        record->rates = mem_new(struct bilanx_rates);
        record->rates->bytes = bytes;
        record->rates->items = items;
    }
    json_object_del(metadata, "bilanx_bytes");
    json_object_del(metadata, "bilanx_items");
}

// Reads the task from the metadata of pyperf's own commands.
static void take_task(json_t *metadata, struct bilanx_record *record)
{
    struct bilanx_task *task = &record->task;
    for (const struct pyperf_key *key = pyperf_keys; key->key; key++)
        *(char **)((char *)record + key->offset) = take_text(metadata, key->key);
    AUTO(memory) char *name = take_text(metadata, "name");
    if (!task->label)
        task->label = TAKE(name);
    AUTO(memory) char *command = take_text(metadata, "command");
    AUTO(memory) char *stmt = take_text(metadata, "timeit_stmt");
    AUTO(memory) char *setup = take_text(metadata, "timeit_setup");
    bool python = json_object_get(metadata, "python_version") != NULL;
    if (!task->language && (command || python))
        task->language = mem_text(command ? "command" : "python");
    if (!task->stmt)
        task->stmt = command ? TAKE(command) : TAKE(stmt);
    if (!task->setup)
        task->setup = TAKE(setup);
    const json_t *threads = json_object_get(metadata, "bilanx_num_threads");
    if (json_is_integer(threads) && json_integer_value(threads) > 0)
        task->num_threads = (uint64_t)json_integer_value(threads);
    json_object_del(metadata, "bilanx_num_threads");
}

// The rest describes the machine and its Python.
static char *take_machine(json_t *metadata)
{
    AUTO(json) json_t *machine = json_object();
    static const char *const elsewhere[] = {"loops", "inner_loops", "unit", "duration"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        json_object_del(metadata, elsewhere[i]);
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        const char *name = key;
        for (size_t i = 0; pyperf_machine[i][0]; i++)
            name = strcmp(key, pyperf_machine[i][0]) == 0 ? pyperf_machine[i][1] : name;
        if (!json_is_null(value))
            json_object_set(machine, name, value);
    }
    return json_object_size(machine) ? print_json(machine) : NULL;
}

// Values that are not times, such as bytes: their median becomes a counter.
static void make_counts(struct benchmark *benchmark, const char *unit, struct bilanx_record *record)
{
    struct bilanx_timing timing = {0};
    struct bilanx_stats stats = {0};
    for (size_t i = 0; i < benchmark->runs.count; i++)
        benchmark->runs.items[i].number = 1;
    run_times_timing(&benchmark->runs, "pyperf", &timing);
    bilanx_timing_summarize(&timing, &stats);
    bilanx_timing_done(&timing);
    AUTO(json) json_t *counters = extra_object(record->counters);
    json_object_set_new(counters, unit, json_real(stats.median));
    free(record->counters);
    record->counters = print_json(counters);
}

static struct bilanx_error give_benchmark(struct benchmark *benchmark,
                                          const struct reader_sink *sink)
{
    const char *unit = "second", *name = NULL;
    BILANX_TRY(place_text(&benchmark->place, benchmark->metadata, "name", &name));
    BILANX_TRY(place_text(&benchmark->place, benchmark->metadata, "unit", &unit));
    if (!name)
        return place_fault(&benchmark->place, "metadata.name", "a string", NULL);
    if (benchmark->runs.count == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: '%s' has no values: it was calibrated, not measured",
                                 benchmark->place.file, benchmark->place.path);
    bool times = strcmp(unit, "second") == 0;
    struct bilanx_record record = {.kind = mem_text(times ? "measurement" : "counts"),
                                   .elapsed = benchmark->duration,
                                   .max_rss = benchmark->max_rss};
    AUTO(memory) char *unit_name = mem_text(unit);
    take_task(benchmark->metadata, &record);
    take_counters(benchmark->metadata, &record);
    record.machine = take_machine(benchmark->metadata);
    AUTO(memory) char *method = TAKE(record.timing.method);
    if (times)
        run_times_timing(&benchmark->runs, method ? method : "pyperf", &record.timing);
    else
        make_counts(benchmark, unit_name, &record);
    extra_keep(&record.extra, "pyperf", json_pack("{s:O}", "runs", benchmark->kept));
    return format_give(sink, &record);
}

static struct bilanx_error read_benchmark(const struct place *place, const json_t *object,
                                          const json_t *common, const struct reader_sink *sink)
{
    if (!json_is_object(object))
        return place_fault(place, "", "an object", object);
    const json_t *metadata = NULL, *runs = NULL, *run;
    BILANX_TRY(place_object(place, object, "metadata", &metadata));
    BILANX_TRY(place_array(place, object, "runs", &runs));
    if (!runs)
        return place_fault(place, "runs", "an array", NULL);
    AUTO(benchmark) struct benchmark benchmark = {
        .place = *place, .metadata = json_object(), .kept = json_array()};
    if (common)
        json_object_update(benchmark.metadata, (json_t *)common);
    if (metadata)
        json_object_update(benchmark.metadata, (json_t *)metadata);
    size_t i;
    json_array_foreach(runs, i, run)
    {
        char path[100];
        snprintf(path, sizeof path, "%s.runs[%zu]", place->path, i);
        BILANX_TRY(read_run(&benchmark, &(struct place){place->file, path}, run));
    }
    // With a single run all of its metadata is common, and only stored there.
    const json_t *only = i == 1 ? json_object_get(json_array_get(runs, 0), "metadata") : NULL;
    if (json_is_object(only))
        json_object_update_missing(benchmark.metadata, (json_t *)only);
    return give_benchmark(&benchmark, sink);
}

static struct bilanx_error check_version(const struct place *place, const json_t *document)
{
    const json_t *version = json_object_get(document, "version");
    if (json_is_integer(version))
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: written by a pyperf before 1.0: upgrade it with 'python3 -m "
                                 "pyperf convert OLD -o NEW'",
                                 place->file);
    if (!version || !json_is_string(version))
        return place_fault(place, "version", "\"" PYPERF_VERSION "\"", version);
    if (strcmp(json_string_value(version), PYPERF_VERSION) != 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: uses version '%.20s' of pyperf's format, but this bilanx "
                                 "reads '%s': use a newer bilanx",
                                 place->file, json_string_value(version), PYPERF_VERSION);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_pyperf(struct lines *lines, const struct reader_sink *sink)
{
    AUTO(json) json_t *document = NULL;
    BILANX_TRY(document_read(lines, &document));
    const struct place top = {lines->name, ""};
    BILANX_TRY(check_version(&top, document));
    const json_t *benchmarks = NULL, *metadata = NULL, *benchmark;
    BILANX_TRY(place_object(&top, document, "metadata", &metadata));
    BILANX_TRY(place_array(&top, document, "benchmarks", &benchmarks));
    AUTO(memory) char *facts = metadata ? print_json(metadata) : NULL;
    if (facts && strlen(facts) > FACTS_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT, "%s: 'metadata' of over %d kB", lines->name,
                                 FACTS_LARGEST >> 10);
    if (!benchmarks)
        return place_fault(&top, "benchmarks", "an array", NULL);
    size_t i;
    json_array_foreach(benchmarks, i, benchmark)
    {
        char path[40];
        snprintf(path, sizeof path, "benchmarks[%zu]", i);
        BILANX_TRY(read_benchmark(&(struct place){lines->name, path}, benchmark, metadata, sink));
    }
    return BILANX_SUCCESS;
}

static const char *const kinds[] = {"measurement", NULL};
static const char *const holds[] = {
    "kind",
    "task.label",
    "task.sub_label",
    "task.description",
    "task.env",
    "task.stmt",
    "task.setup",
    "task.language",
    "task.num_threads",
    "side",
    "method",
    "number_per_run",
    "raw_times",
    "stats",
    "rates.bytes",
    "rates.items",
    "counters",
    "max_rss",
    "elapsed",
    "machine",
    "pyperf",
    NULL,
};

const struct format format_pyperf = {
    .face = {.name = "pyperf", .summary = "pyperf's JSON, 1.0", .extensions = ""},
    .recognises = recognises,
    .read = read_pyperf,
    .write = pyperf_write,
    .kinds = kinds,
    .holds = holds,
};

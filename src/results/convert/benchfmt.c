// benchfmt: Go's benchmark format, printed by 'go test -bench' and read by benchstat. Follows the
// grammar of golang.org/x/perf/benchfmt. Runs of one name with the same configuration become one
// record.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "benchfmt.h"
#include "gather.h"

static const char PREFIX[] = "Benchmark";
enum { PREFIX_SIZE = sizeof PREFIX - 1 };
#define BLANKS " \t\r\v\f"

// Whether a line begins with "Benchmark" or with what 'go test' prints first.
static bool recognises(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    if (memchr(bytes, '\0', size))
        return false;
    for (const char *line = bytes; line && line < end;) {
        size_t left = (size_t)(end - line);
        if (left > PREFIX_SIZE && memcmp(line, PREFIX, PREFIX_SIZE) == 0)
            return true;
        if (left > 6 && (memcmp(line, "goos: ", 6) == 0 || memcmp(line, "Unit ", 5) == 0))
            return true;
        line = memchr(line, '\n', left);
        line = line ? line + 1 : NULL;
    }
    return false;
}

// Results so far, by name and configuration. They are returned at the end, because replicates may
// be anywhere.
struct results {
    const struct lines *lines;
    json_t *config;     // shared with its results; replaced, never changed
    char *config_text;  // the same as text
    json_t *index;      // identity to index in `items`
    struct result {
        char *name;
        json_t *config;
        struct run_times runs;
        struct counted counters;
        double bytes;
        char *failure;  // "failed", "skipped"; NULL: none
        struct text message;
    } *items;
    size_t count, room;
    struct result *failing;  // gets the following indented lines as its message
};

static void results_done(struct results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        struct result *result = &results->items[i];
        free(result->name);
        json_decref(result->config);
        run_times_done(&result->runs);
        counted_done(&result->counters);
        free(result->failure);
        text_done(&result->message);
    }
    free(results->items);
    json_decref(results->config);
    free(results->config_text);
    json_decref(results->index);
}
SCOPE_VALUE(results, results_done)

static struct bilanx_error fault(const struct results *results, const char *what, const char *text)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s:%lu: %s, not '%.60s'", results->lines->name,
                             results->lines->number, what, text);
}

static struct result *add_result(struct results *results, const char *name)
{
    mem_grow(results->items, results->count, &results->room);
    struct result *result = &results->items[results->count++];
    *result = (struct result){.name = mem_text(name), .config = json_incref(results->config)};
    return result;
}

static struct result *find_result(struct results *results, const char *name)
{
    AUTO(memory) char *identity = mem_format("%s %s", name, results->config_text);
    const json_t *position = json_object_get(results->index, identity);
    if (position)
        return &results->items[json_integer_value(position)];
    json_object_set_new(results->index, identity, json_integer((json_int_t)results->count));
    return add_result(results, name);
}

// The next field of a line; NULL after the last.
static char *next_field(char **line)
{
    char *field = *line + strspn(*line, BLANKS);
    size_t size = strcspn(field, BLANKS);
    *line = field + size + (field[size] != '\0');
    field[size] = '\0';
    return size ? field : NULL;
}

struct values {
    double time, bytes_per_second;  // NaN: not given
    double per_second;              // units of time per second
};

bool benchfmt_is_unit(const char *unit)
{
    static const char *const units[] = {"ns/op", "sec/op", "MB/s", "B/s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], unit) == 0)
            return true;
    return false;
}

static struct bilanx_error read_value(struct results *results, struct result *result,
                                      const char *number, const char *unit, struct values *values)
{
    double value;
    if (!number_read(number, &value)) {
        // Go's ParseFloat accepts these too.
        static const char *const odd[] = {"NaN", "+Inf", "-Inf", "Inf"};
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
            if (strcmp(number, odd[i]) == 0 && !benchfmt_is_unit(unit)) {
                counted_add_odd(&result->counters, unit, number);
                return BILANX_SUCCESS;
            }
        return fault(results, "a measurement must be a number", number);
    }
    bool time = strcmp(unit, "ns/op") == 0 || strcmp(unit, "sec/op") == 0;
    if (time && value < 0)
        return fault(results, "a time must be at least 0", number);
    if (time) {
        values->time = value;
        values->per_second = unit[0] == 'n' ? 1e9 : 1;
    } else if (strcmp(unit, "MB/s") == 0)
        values->bytes_per_second = value * 1e6;
    else if (strcmp(unit, "B/s") == 0)
        values->bytes_per_second = value;
    else
        counted_add(&result->counters, unit, value);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_result(struct results *results, const char *name,
                                       const char *iterations, char *rest)
{
    uint64_t number;
    if (!number_read_count(iterations, &number) || number == 0 || number > INT64_MAX ||
        strspn(iterations, "0123456789") != strlen(iterations))
        return fault(results, "the number of iterations must be a whole number from 1 to 2^63 - 1",
                     iterations);
    struct result *result = find_result(results, name);
    struct values values = {NAN, NAN, 1};
    size_t told = 0;
    for (char *field; (field = next_field(&rest)); told++) {
        const char *unit = next_field(&rest);
        if (!unit)
            return fault(results, "a measurement must be followed by its unit", field);
        BILANX_TRY(read_value(results, result, field, unit, &values));
    }
    if (told == 0)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s:%lu: no measurement such as '12 ns/op': the line is truncated",
                                 results->lines->name, results->lines->number);
    if (!isnan(values.time) &&
        !run_times_add(&result->runs,
                       (struct run_time){values.time, NAN, values.per_second, number}))
        return fault(results, "a time must be in a plausible range", iterations);
    if (result->bytes == 0 && values.bytes_per_second > 0 && values.time > 0)
        result->bytes = rate_per_call(values.bytes_per_second, values.time / values.per_second);
    return BILANX_SUCCESS;
}

// "--- FAIL: BenchmarkX-8": the message is in the indented lines that follow.
static bool read_failure(struct results *results, char *fields)
{
    const char *verdict = next_field(&fields);
    const char *name = next_field(&fields);
    bool failed = text_equal(verdict, "FAIL:"), skipped = text_equal(verdict, "SKIP:");
    if (!name || !text_starts(name, PREFIX) || !(failed || skipped))
        return false;
    struct result *result = add_result(results, name + PREFIX_SIZE);
    result->failure = mem_text(failed ? "failed" : "skipped");
    results->failing = result;
    return true;
}

bool benchfmt_is_config(const char *line, size_t *key_size)
{
    size_t size = strcspn(line, ":" BLANKS);
    bool lower = line[0] >= 'a' && line[0] <= 'z';
    for (size_t i = 0; i < size; i++)
        lower &= !(line[i] >= 'A' && line[i] <= 'Z');
    *key_size = size;
    return lower && line[size] == ':' && (line[size + 1] == '\0' || strchr(" \t", line[size + 1]));
}

// Lines of other programs may look like this too; the last value of a key counts.
static struct bilanx_error read_config(struct results *results, const char *line, size_t key_size)
{
    AUTO(memory) char *key = mem_text_n(line, key_size);
    const char *value = line + key_size + 1;
    value += strspn(value, " \t");
    size_t size = strlen(value);
    while (size && strchr(BLANKS, value[size - 1]))
        size--;
    json_t *config = json_copy(results->config);
    if (size)
        json_object_set_new(config, key, json_stringn(value, size));
    else
        json_object_del(config, key);
    json_decref(results->config);
    results->config = config;
    free(results->config_text);
    results->config_text = print_json(config);
    enum { MOST_KEYS = 256 };
    if (json_object_size(config) > MOST_KEYS || strlen(results->config_text) > FACTS_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s:%lu: over %d keys or %d kB of 'key: value' lines: keep only "
                                 "those that describe the benchmarks",
                                 results->lines->name, results->lines->number, MOST_KEYS,
                                 FACTS_LARGEST >> 10);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_benchmark(struct results *results, char *line)
{
    char *rest = line;
    const char *name = next_field(&rest) + PREFIX_SIZE;
    char *iterations = next_field(&rest);
    results->failing = NULL;
    if (!iterations)  // 'go test -v' announces a benchmark by name
        return BILANX_SUCCESS;
    if (strcmp(iterations, "---") == 0) {
        read_failure(results, rest);
        return BILANX_SUCCESS;
    }
    return read_result(results, name, iterations, rest);
}

static struct bilanx_error read_line(struct results *results, char *line, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = text_character((const unsigned char *)line + at, NULL);
        if (step == 0 || line[at] == '\0')
            return bilanx_error_make(BILANX_E_INPUT, "%s:%lu: not UTF-8 text", results->lines->name,
                                     results->lines->number);
        at += step;
    }
    size_t key_size;
    if (text_starts(line, PREFIX))
        return read_benchmark(results, line);
    if (text_starts(line, "--- ") && read_failure(results, line + 4))
        return BILANX_SUCCESS;
    enum { LONGEST_MESSAGE = 400 };
    size_t blanks = strspn(line, " \t");
    if (results->failing && blanks && results->failing->message.size < LONGEST_MESSAGE) {
        struct text *message = &results->failing->message;
        text_format(message, "%s%.400s", message->size ? " " : "", line + blanks);
        return BILANX_SUCCESS;
    }
    results->failing = NULL;
    if (benchfmt_is_config(line, &key_size))
        return read_config(results, line, key_size);
    return BILANX_SUCCESS;
}

// "-8" at the end of a name is GOMAXPROCS.
static size_t cut_threads(const char *name, uint64_t *threads)
{
    const char *dash = strrchr(name, '-');
    uint64_t count;
    if (!dash || dash == name || strspn(dash + 1, "0123456789") != strlen(dash + 1) ||
        dash[1] == '0' || !number_read_count(dash + 1, &count) || count > INT64_MAX)
        return strlen(name);
    *threads = count;
    return (size_t)(dash - name);
}

// pkg distinguishes benchmarks; the other keys we know describe the machine.
const char *const benchfmt_machine[BENCHFMT_MACHINE][2] = {
    {"goos", "os"}, {"goarch", "arch"}, {"cpu", "cpu"}};

static void take_config(const json_t *shared, struct bilanx_record *record)
{
    AUTO(json) json_t *config = json_copy((json_t *)shared);
    AUTO(json) json_t *machine = json_object();
    for (size_t i = 0; i < BENCHFMT_MACHINE; i++) {
        json_t *value = json_object_get(config, benchfmt_machine[i][0]);
        if (value)
            json_object_set(machine, benchfmt_machine[i][1], value);
        json_object_del(config, benchfmt_machine[i][0]);
    }
    if (json_object_size(machine))
        record->machine = print_json(machine);
    record->task.env = mem_text(json_string_value(json_object_get(config, "pkg")));
    json_object_del(config, "pkg");
    AUTO(json) json_t *kept = extra_kept(record->extra, "benchfmt");
    if (json_object_size(config))
        json_object_set(kept, "config", config);
    extra_keep(&record->extra, "benchfmt", json_incref(kept));
}

static struct bilanx_error give_result(struct result *result, const struct reader_sink *sink)
{
    struct bilanx_record record = {0};
    size_t size = cut_threads(result->name, &record.task.num_threads);
    task_name_split(result->name, size, &record.task);
    const char *kind = result->failure ? "failure" : result->runs.count ? "measurement" : "counts";
    record.kind = mem_text(kind);
    if (result->failure) {
        record.error = mem_new(struct bilanx_failure);
        record.error->code = mem_text(result->failure);
        record.error->text =
            mem_text(result->message.size ? result->message.data : result->failure);
    }
    if (result->runs.count)
        run_times_timing(&result->runs, "go", &record.timing);
    record.counters = counted_object(&result->counters);
    if (result->bytes > 0) {
        record.rates = mem_new(struct bilanx_rates);
        record.rates->bytes = result->bytes;
    }
    if (result->counters.odd)
        extra_keep(&record.extra, "benchfmt",
                   json_pack("{s:O}", "not_finite", result->counters.odd));
    take_config(result->config, &record);
    return format_give(sink, &record);
}

static struct bilanx_error read_benchfmt(struct lines *lines, const struct reader_sink *sink)
{
    AUTO(results) struct results results = {.lines = lines,
                                            .config = json_object(),
                                            .config_text = mem_text("{}"),
                                            .index = json_object()};
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(lines, &line, &size));
        if (!line)
            break;
        BILANX_TRY(read_line(&results, line, size));
    }
    for (size_t i = 0; i < results.count; i++)
        BILANX_TRY(give_result(&results.items[i], sink));
    return BILANX_SUCCESS;
}

static const char *const kinds[] = {"measurement", "counts", "failure", NULL};
static const char *const holds[] = {
    "kind",           "task.label", "task.sub_label", "task.env",    "task.num_threads", "method",
    "number_per_run", "raw_times",  "stats",          "rates.bytes", "counters",         "machine",
    "error.code",     "error.text", "benchfmt",       NULL,
};

const struct format format_benchfmt = {
    .face = {.name = "benchfmt",
             .summary = "Go's benchmark format, for benchstat",
             .extensions = " .txt .bench "},
    .recognises = recognises,
    .read = read_benchfmt,
    .write = benchfmt_write,
    .kinds = kinds,
    .holds = holds,
};

// benchfmt_write: writes records in Go's benchmark format, one line per time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "benchfmt.h"
#include "gather.h"

// Fields are separated by blanks: in our names and units they become '_'.
static void replace_blanks(char *text, const char *what, struct losses *losses)
{
    bool replaced = false;
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if (*at <= ' ' || *at == 0x7F) {
            *at = '_';
            replaced = true;
        }
    if (replaced)
        losses_add(losses, "spaces in %s", what);
}

static bool ends_in_number(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1);
}

// env is written as the package, on a separate line.
static char *plain_name(const struct bilanx_record *record, struct losses *losses)
{
    struct bilanx_record named = *record;
    named.task.env = NULL;
    char *name = task_name_join(&named, losses);
    replace_blanks(name, "names", losses);
    return name;
}

static char *full_name(const struct bilanx_record *record, const char *name, struct losses *losses)
{
    unsigned long long threads = record->task.num_threads;
    if (threads == 0 && ends_in_number(name))
        losses_add(losses, "an unknown 'task.num_threads', written as 1");
    if (threads > 1 || ends_in_number(name))
        return mem_format("Benchmark%s-%llu", name, threads ? threads : 1);
    return mem_format("Benchmark%s", name);
}

// A configuration line applies until the next one with the same key.
static void write_config(json_t *written, const char *key, const char *value, FILE *out)
{
    const char *before = json_string_value(json_object_get(written, key));
    if (before ? value && strcmp(before, value) == 0 : !value)
        return;
    fprintf(out, "%s:%s%s\n", key, value ? " " : "", value ? value : "");
    if (value)
        json_object_set_new_nocheck(written, key, json_string_nocheck(value));
    else
        json_object_del(written, key);
}

static char *one_line(const char *text, const char *what, struct losses *losses)
{
    char *copy = mem_text(text);
    if (copy && strpbrk(copy, "\n\r"))
        losses_add(losses, "line breaks in %s", what);
    for (char *at = copy; at && *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    return copy;
}

static void write_machine(json_t *written, const struct bilanx_record *record, FILE *out,
                          struct losses *losses)
{
    AUTO(json) json_t *machine = extra_object(record->machine);
    for (size_t i = 0; i < BENCHFMT_MACHINE; i++) {
        const char *value = json_string_value(json_object_get(machine, benchfmt_machine[i][1]));
        AUTO(memory) char *line = one_line(value, "'machine'", losses);
        write_config(written, benchfmt_machine[i][0], line, out);
        json_object_del(machine, benchfmt_machine[i][1]);
    }
    // benchstat separates results that differ in any of these: a date would split what belongs
    // together.
    if (json_object_size(machine))
        losses_add(losses, "'machine', except os, arch and cpu");
    AUTO(memory) char *package = one_line(record->task.env, "'task.env'", losses);
    write_config(written, "pkg", package, out);
}

// Writes configuration that was read from such lines, and resets keys that this record lacks.
static void write_own(json_t *written, const struct bilanx_record *record, FILE *out)
{
    AUTO(json) json_t *own = extra_kept(record->extra, "benchfmt");
    const json_t *config = json_object_get(own, "config");
    AUTO(json) json_t *before = json_copy(written);
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value)
    {
        bool other = strcmp(key, "pkg") == 0;
        for (size_t i = 0; i < BENCHFMT_MACHINE; i++)
            other |= strcmp(key, benchfmt_machine[i][0]) == 0;
        if (!other && !json_object_get(config, key))
            write_config(written, key, NULL, out);
    }
    json_object_foreach((json_t *)config, key, value)
    {
        size_t size;
        const char *text = json_string_value(value);
        AUTO(memory) char *line = mem_format("%s:", key);
        if (text && *text && !strpbrk(text, "\n\r") && benchfmt_is_config(line, &size) &&
            size == strlen(key))
            write_config(written, key, text, out);
    }
}

static void add_value(struct text *line, double value, const char *unit)
{
    char digits[NUMBER_SIZE];
    text_format(line, "\t%s %s", number_shortest(value, digits), unit);
}

static void add_counters(struct text *line, const json_t *counters, struct losses *losses)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
    {
        AUTO(memory) char *unit = mem_text(name);
        if (!json_is_number(value) || benchfmt_is_unit(name) || !*name) {
            losses_add(losses, "the counter '%.60s'", name);
            continue;
        }
        replace_blanks(unit, "names of counters", losses);
        add_value(line, json_number_value(value), unit);
    }
}

static void write_times(const struct bilanx_record *record, const char *name, FILE *out,
                        struct losses *losses)
{
    const struct bilanx_timing *timing = &record->timing;
    AUTO(json) json_t *counters = extra_object(record->counters);
    AUTO(text) struct text counted = {0};
    add_counters(&counted, counters, losses);
    AUTO(json) json_t *own = extra_kept(record->extra, "benchfmt");
    const char *unit;
    json_t *odd;
    json_object_foreach(json_object_get(own, "not_finite"), unit, odd)
    {
        if (json_is_string(odd) && !strpbrk(json_string_value(odd), " \t\r\n"))
            text_format(&counted, "\t%s %s", json_string_value(odd), unit);
    }
    if (timing->raw_count == 0 && counted.size == 0)
        losses_add(losses, "records with neither times nor counters");
    else if (timing->raw_count == 0)
        fprintf(out, "%s\t1%s\n", name, text_get(&counted));
    for (size_t i = 0; i < timing->raw_count; i++) {
        double time = timing->raw_times[i] / (double)timing->number_per_run;
        AUTO(text) struct text line = {0};
        text_format(&line, "%s\t%llu", name, (unsigned long long)timing->number_per_run);
        double ns = timing->raw_times[i] * 1e9 / (double)timing->number_per_run;
        double speed = record->rates ? record->rates->bytes / time / 1e6 : 0;
        add_value(&line, isfinite(ns) ? ns : time, isfinite(ns) ? "ns/op" : "sec/op");
        if (speed > 0 && isfinite(speed))
            add_value(&line, speed, "MB/s");
        fprintf(out, "%s%s\n", text_get(&line), text_get(&counted));
    }
}

static void write_failure(const struct bilanx_record *record, const char *name, FILE *out,
                          struct losses *losses)
{
    const struct bilanx_failure *error = record->error;
    bool skipped = error && text_equal(error->code, "skipped");
    if (error && !skipped && !text_equal(error->code, "failed"))
        losses_add(losses, "'error.code'");
    AUTO(memory) char *text = one_line(error ? error->text : NULL, "'error.text'", losses);
    fprintf(out, "--- %s: %s\n", skipped ? "SKIP" : "FAIL", name);
    if (text && *text)
        fprintf(out, "    %s\n", text);
}

void benchfmt_write(const struct bilanx_record *records, size_t count, FILE *out,
                    struct losses *losses)
{
    AUTO(json) json_t *written = json_object();
    AUTO(task_names) struct task_names names = {0};
    for (size_t i = 0; i < count; i++) {
        const struct bilanx_record *record = &records[i];
        if (!format_takes(&format_benchfmt, record))
            continue;
        AUTO(memory) char *plain =
            task_names_claim(&names, record, plain_name(record, losses), losses);
        AUTO(memory) char *name = full_name(record, plain, losses);
        if (record->timing.method && strcmp(record->timing.method, "go") != 0)
            losses_add(losses, "'method'");
        write_machine(written, record, out, losses);
        write_own(written, record, out);
        if (text_equal(record->kind, "failure"))
            write_failure(record, name, out, losses);
        else
            write_times(record, name, out, losses);
    }
}

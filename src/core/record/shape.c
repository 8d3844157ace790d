// shape: the tables that describe records, and the functions that use them.
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define AT(type, member) offsetof(struct bilanx_##type, member)
#define TEXT(type, key) {#key, FIELD_TEXT, AT(type, key)}
#define NUMBER(type, key) {#key, FIELD_NUMBER, AT(type, key)}
#define FIGURE(type, key) {#key, FIELD_NUMBER, AT(type, key), .zero_counts = true}
#define COUNT(type, key) {#key, FIELD_COUNT, AT(type, key)}
#define SHAPE(name, ...)                                            \
    static const struct field name##_fields[] = {__VA_ARGS__, {0}}; \
    const struct shape shape_##name = {name##_fields, sizeof(struct bilanx_##name), AT(name, extra)}

extern const struct shape shape_compile, shape_epoch, shape_latency, shape_stats, shape_ratio,
    shape_rates, shape_neighbour, shape_function, shape_allocations, shape_counts, shape_verdict,
    shape_warning, shape_stack_frame;

SHAPE(compile, TEXT(compile, cc), TEXT(compile, flags), TEXT(compile, launder));

SHAPE(task, TEXT(task, stmt), TEXT(task, setup), TEXT(task, global_setup), TEXT(task, language),
      TEXT(task, label), TEXT(task, sub_label), TEXT(task, description), TEXT(task, env),
      COUNT(task, num_threads),
      {"compile", FIELD_POINTER, AT(task, compile), .shape = &shape_compile},
      {"parameters", FIELD_ANY, AT(task, parameters)}, {"command", FIELD_ANY, AT(task, command)});

SHAPE(epoch, FIGURE(epoch, time), FIGURE(epoch, min), FIGURE(epoch, p25), FIGURE(epoch, p75),
      FIGURE(epoch, p99), COUNT(epoch, batches), COUNT(epoch, off_pace), COUNT(epoch, layout),
      {"disturbed", FIELD_COUNT, AT(epoch, disturbed), .zero_counts = true},
      {"reference", FIELD_NUMBER, AT(epoch, reference)});

SHAPE(latency, FIGURE(latency, p50), FIGURE(latency, p90), FIGURE(latency, p99),
      FIGURE(latency, p999), FIGURE(latency, max), FIGURE(latency, clock_cost),
      COUNT(latency, samples));

SHAPE(stats, FIGURE(stats, estimate), {"ci95", FIELD_PAIR, AT(stats, ci95)}, FIGURE(stats, median),
      FIGURE(stats, mean), FIGURE(stats, stddev), FIGURE(stats, min), FIGURE(stats, p25),
      FIGURE(stats, p75), FIGURE(stats, iqr), NUMBER(stats, significant_figures),
      FIGURE(stats, within), FIGURE(stats, between), FIGURE(stats, layout),
      FIGURE(stats, marginal));

SHAPE(ratio, TEXT(ratio, to), NUMBER(ratio, estimate), {"ci95", FIELD_PAIR, AT(ratio, ci95)},
      COUNT(ratio, pairs));

SHAPE(overhead, TEXT(overhead, to), FIGURE(overhead, estimate),
      {"ci95", FIELD_PAIR, AT(overhead, ci95), .zero_counts = true}, COUNT(overhead, epochs));

SHAPE(expected, TEXT(expected, says), TEXT(expected, of), FIGURE(expected, low),
      FIGURE(expected, high), TEXT(expected, met));

SHAPE(rates, NUMBER(rates, bytes), NUMBER(rates, items));

SHAPE(neighbour, FIGURE(neighbour, free), FIGURE(neighbour, time), FIGURE(neighbour, change),
      {"interval", FIELD_PAIR, AT(neighbour, interval), .zero_counts = true},
      COUNT(neighbour, epochs));

SHAPE(function, TEXT(function, file), TEXT(function, function), TEXT(function, object),
      NUMBER(function, self), NUMBER(function, inclusive));

SHAPE(allocations, FIGURE(allocations, count), FIGURE(allocations, bytes),
      FIGURE(allocations, peak));

SHAPE(counts, TEXT(counts, counter), TEXT(counts, hwcaps), COUNT(counts, number),
      FIGURE(counts, instructions), FIGURE(counts, per_iteration), FIGURE(counts, baseline),
      {"repeats", FIELD_NUMBERS, AT(counts, repeats), AT(counts, repeat_count)},
      {"events", FIELD_ANY, AT(counts, events)},
      {"functions", FIELD_LIST, AT(counts, functions), AT(counts, function_count), &shape_function},
      {"allocations", FIELD_POINTER, AT(counts, allocations), .shape = &shape_allocations});

SHAPE(stack_frame, TEXT(stack_frame, name), TEXT(stack_frame, file), TEXT(stack_frame, object),
      TEXT(stack_frame, kind));

SHAPE(stacks, TEXT(stacks, unit), TEXT(stacks, title), TEXT(stacks, note), NUMBER(stacks, calls),
      NUMBER(stacks, seconds), NUMBER(stacks, lost), NUMBER(stacks, overhead), NUMBER(stacks, time),
      {"epoch_calls", FIELD_NUMBERS, AT(stacks, epoch_calls), AT(stacks, epoch_call_count)},
      {"epoch_seconds", FIELD_NUMBERS, AT(stacks, epoch_seconds), AT(stacks, epoch_second_count)},
      {"frames", FIELD_LIST, AT(stacks, frames), AT(stacks, frame_count), &shape_stack_frame},
      {"node_frames", FIELD_COUNTS, AT(stacks, node_frames), AT(stacks, node_frame_count)},
      {"node_parents", FIELD_COUNTS, AT(stacks, node_parents), AT(stacks, node_parent_count)},
      {"node_weights", FIELD_NUMBERS, AT(stacks, node_weights), AT(stacks, node_weight_count)},
      {"node_before", FIELD_NUMBERS, AT(stacks, node_before), AT(stacks, node_before_count)});

SHAPE(verdict, TEXT(verdict, verdict), TEXT(verdict, reason), TEXT(verdict, baseline),
      FIGURE(verdict, change), {"interval", FIELD_PAIR, AT(verdict, interval), .zero_counts = true},
      NUMBER(verdict, p), NUMBER(verdict, detectable), {"times", FIELD_PAIR, AT(verdict, times)},
      {"changes", FIELD_NUMBERS, AT(verdict, changes), AT(verdict, change_count)},
      {"layouts", FIELD_NUMBERS, AT(verdict, layouts), AT(verdict, layout_count)});

SHAPE(warning, TEXT(warning, code), TEXT(warning, text));

SHAPE(failure, TEXT(failure, code), TEXT(failure, phase), TEXT(failure, text),
      TEXT(failure, output));

SHAPE(record, TEXT(record, kind), {"task", FIELD_STRUCT, AT(record, task), .shape = &shape_task},
      TEXT(record, side), {"method", FIELD_TEXT, AT(record, timing.method)},
      {"number_per_run", FIELD_COUNT, AT(record, timing.number_per_run)},
      {"raw_times", FIELD_NUMBERS, AT(record, timing.raw_times), AT(record, timing.raw_count)},
      {"raw_cpu_times", FIELD_NUMBERS, AT(record, timing.raw_cpu_times),
       AT(record, timing.raw_cpu_count)},
      {"overhead", FIELD_NUMBER, AT(record, timing.overhead)},
      {"reference", FIELD_NUMBER, AT(record, timing.reference)},
      {"epochs", FIELD_LIST, AT(record, timing.epochs), AT(record, timing.epoch_count),
       &shape_epoch},
      {"latency", FIELD_POINTER, AT(record, timing.latency), .shape = &shape_latency},
      TEXT(record, core),
      {"neighbour", FIELD_POINTER, AT(record, neighbour), .shape = &shape_neighbour},
      {"stats", FIELD_STRUCT, AT(record, stats), .shape = &shape_stats},
      {"ratio", FIELD_POINTER, AT(record, ratio), .shape = &shape_ratio},
      {"overhead_of", FIELD_POINTER, AT(record, overhead_of), .shape = &shape_overhead},
      {"expected", FIELD_POINTER, AT(record, expected), .shape = &shape_expected},
      {"rates", FIELD_POINTER, AT(record, rates), .shape = &shape_rates},
      {"counts", FIELD_POINTER, AT(record, counts), .shape = &shape_counts},
      {"stacks", FIELD_POINTER, AT(record, stacks), .shape = &shape_stacks},
      {"verdict", FIELD_MEMBERS, AT(record, verdict), .shape = &shape_verdict},
      {"counters", FIELD_ANY, AT(record, counters)}, TEXT(record, remark), TEXT(record, unit),
      NUMBER(record, max_rss), NUMBER(record, elapsed), COUNT(record, place),
      COUNT(record, attempts), COUNT(record, pages), COUNT(record, redrawn), COUNT(record, setups),
      COUNT(record, forks), COUNT(record, zygotes),
      {"warnings", FIELD_LIST, AT(record, warnings), AT(record, warning_count), &shape_warning},
      {"machine", FIELD_ANY, AT(record, machine)}, {"git", FIELD_ANY, AT(record, git)},
      {"facts", FIELD_ANY, AT(record, facts)},
      {"error", FIELD_POINTER, AT(record, error), .shape = &shape_failure});

static void write_pair(const struct field *field, const double *pair, struct json_writer *json)
{
    bool absent = pair[0] == 0 && pair[1] == 0 && !field->zero_counts;
    if (absent || !isfinite(pair[0]) || !isfinite(pair[1]))
        return;
    writer_key(json, field->key);
    writer_open(json, '[');
    writer_number(json, pair[0]);
    writer_number(json, pair[1]);
    writer_close(json, ']');
}

static void write_numbers(const struct field *field, const double *numbers, size_t count,
                          struct json_writer *json)
{
    if (count == 0)
        return;
    writer_key(json, field->key);
    writer_open(json, '[');
    for (size_t i = 0; i < count; i++)
        writer_number(json, numbers[i]);
    writer_close(json, ']');
}

static void write_counts(const struct field *field, const uint64_t *counts, size_t count,
                         struct json_writer *json)
{
    if (count == 0)
        return;
    writer_key(json, field->key);
    writer_open(json, '[');
    for (size_t i = 0; i < count; i++)
        writer_count(json, counts[i]);
    writer_close(json, ']');
}

static void write_list(const struct field *field, const char *items, size_t count,
                       struct json_writer *json)
{
    if (count == 0)
        return;
    writer_key(json, field->key);
    writer_open(json, '[');
    for (size_t i = 0; i < count; i++)
        shape_write(field->shape, items + i * field->shape->size, json);
    writer_close(json, ']');
}

static bool all_zero(const void *object, size_t size)
{
    const char *bytes = object;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

// Leaves out a struct, and its key, if none of its members is set.
static void write_struct(const struct field *field, const void *object, struct json_writer *json)
{
    size_t before = json->out->size;
    bool after_value = json->after_value;
    writer_key(json, field->key);
    size_t empty = json->out->size + 2;
    shape_write(field->shape, object, json);
    if (json->out->size == empty) {
        json->out->size = before;
        json->out->data[before] = '\0';
        json->after_value = after_value;
    }
}

static void write_scalar(const struct field *field, const void *at, struct json_writer *json)
{
    if (field->type == FIELD_COUNT) {
        uint64_t count = *(const uint64_t *)at;
        if (count || field->zero_counts)
            writer_key_count(json, field->key, count);
    } else if (field->type == FIELD_NUMBER) {
        double number = *(const double *)at;
        if (isfinite(number) && (number != 0 || field->zero_counts))
            writer_key_number(json, field->key, number);
    } else {
        const char *text = *(char *const *)at;
        if (!text)
            return;
        writer_key(json, field->key);
        if (field->type == FIELD_ANY)
            writer_raw(json, text);
        else
            writer_text(json, text);
    }
}

// Only for fields that have a count. For others, count_offset is 0, which is some other member.
static size_t count_of(const struct field *field, const void *object)
{
    return *(const size_t *)((const char *)object + field->count_offset);
}

static void write_field(const struct field *field, const void *object, struct json_writer *json)
{
    const char *at = (const char *)object + field->offset;
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_NUMBER:
    case FIELD_COUNT:
    case FIELD_ANY:
        write_scalar(field, at, json);
        break;
    case FIELD_PAIR:
        write_pair(field, (const double *)at, json);
        break;
    case FIELD_NUMBERS:
        write_numbers(field, *(double *const *)at, count_of(field, object), json);
        break;
    case FIELD_COUNTS:
        write_counts(field, *(uint64_t *const *)at, count_of(field, object), json);
        break;
    case FIELD_STRUCT:
        if (!all_zero(at, field->shape->size))  // otherwise a failure would have a time of 0
            write_struct(field, at, json);
        break;
    case FIELD_POINTER:
        if (*(void *const *)at)
            write_struct(field, *(void *const *)at, json);
        break;
    case FIELD_LIST:
        write_list(field, *(char *const *)at, count_of(field, object), json);
        break;
    case FIELD_MEMBERS:
        if (*(void *const *)at)
            shape_members(field->shape, *(void *const *)at, json);
        break;
    }
}

bool shape_says_nothing(const struct shape *shape, const void *object)
{
    if (*(char *const *)((const char *)object + shape->extra_offset))
        return false;
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    for (const struct field *field = shape->fields; field->key && text.size == 0; field++)
        write_field(field, object, &json);
    return text.size == 0;
}

void shape_members(const struct shape *shape, const void *object, struct json_writer *json)
{
    for (const struct field *field = shape->fields; field->key; field++)
        write_field(field, object, json);
    const char *extra = *(char *const *)((const char *)object + shape->extra_offset);
    if (extra)
        writer_members(json, extra);
}

void shape_write(const struct shape *shape, const void *object, struct json_writer *json)
{
    writer_open(json, '{');
    shape_members(shape, object, json);
    writer_close(json, '}');
}

static void *copy_items(const struct shape *shape, const void *from, size_t count)
{
    if (!from)
        return NULL;
    char *copy = mem_zeroed(count, shape->size);
    for (size_t i = 0; i < count; i++)
        shape_copy(shape, (const char *)from + i * shape->size, copy + i * shape->size);
    return copy;
}

_Static_assert(sizeof(double) == sizeof(uint64_t), "one size of items for NUMBERS and COUNTS");

static void *copy_numbers(const void *from, size_t count)
{
    void *copy = mem_zeroed(count, sizeof(double));
    if (count)
        memcpy(copy, from, count * sizeof(double));
    return copy;
}

static void copy_field(const struct field *field, const void *from, void *to)
{
    const void *source = (const char *)from + field->offset;
    char *target = (char *)to + field->offset;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_COUNT:
    case FIELD_PAIR:
        break;
    case FIELD_STRUCT:
        shape_copy(field->shape, source, target);
        break;
    case FIELD_POINTER:
    case FIELD_MEMBERS:
        *(void **)target = copy_items(field->shape, *(void *const *)source, 1);
        break;
    case FIELD_LIST:
        *(void **)target = copy_items(field->shape, *(void *const *)source, count_of(field, from));
        break;
    case FIELD_TEXT:
    case FIELD_ANY:
        *(char **)target = mem_text(*(char *const *)source);
        break;
    case FIELD_NUMBERS:
    case FIELD_COUNTS:
        *(void **)target = copy_numbers(*(void *const *)source, count_of(field, from));
        break;
    }
}

void shape_copy(const struct shape *shape, const void *from, void *to)
{
    memcpy(to, from, shape->size);  // this copies numbers and counts
    for (const struct field *field = shape->fields; field->key; field++)
        copy_field(field, from, to);
    const char *extra = *(char *const *)((const char *)from + shape->extra_offset);
    *(char **)((char *)to + shape->extra_offset) = mem_text(extra);
}

static void hash_items(const struct shape *shape, const char *items, size_t count,
                       struct hash *hash)
{
    for (size_t i = 0; items && i < count; i++)
        shape_hash(shape, items + i * shape->size, hash);
    hash_add(hash, &(size_t){items ? count : 0}, sizeof count);
}

static void hash_field(const struct field *field, const void *object, struct hash *hash)
{
    const char *at = (const char *)object + field->offset;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_COUNT:
        hash_add(hash, at, sizeof(uint64_t));
        break;
    case FIELD_PAIR:
        hash_add(hash, at, 2 * sizeof(double));
        break;
    case FIELD_STRUCT:
        shape_hash(field->shape, at, hash);
        break;
    case FIELD_POINTER:
    case FIELD_MEMBERS:
        hash_items(field->shape, *(char *const *)at, 1, hash);
        break;
    case FIELD_LIST:
        hash_items(field->shape, *(char *const *)at, count_of(field, object), hash);
        break;
    case FIELD_TEXT:
    case FIELD_ANY:
        hash_add_text(hash, *(char *const *)at);
        break;
    case FIELD_NUMBERS:
    case FIELD_COUNTS:
        hash_add(hash, *(void *const *)at, count_of(field, object) * sizeof(double));
        break;
    }
}

void shape_hash(const struct shape *shape, const void *object, struct hash *hash)
{
    for (const struct field *field = shape->fields; field->key; field++)
        hash_field(field, object, hash);
    hash_add_text(hash, *(char *const *)((const char *)object + shape->extra_offset));
}

static void free_field(const struct field *field, void *object)
{
    char *at = (char *)object + field->offset;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_COUNT:
    case FIELD_PAIR:
        break;
    case FIELD_STRUCT:
        shape_done(field->shape, at);
        break;
    case FIELD_POINTER:
    case FIELD_MEMBERS:
        if (*(void **)at)
            shape_done(field->shape, *(void **)at);
        free(*(void **)at);
        break;
    case FIELD_LIST:
        for (size_t i = count_of(field, object); i-- > 0;)
            shape_done(field->shape, *(char **)at + i * field->shape->size);
        free(*(void **)at);
        break;
    case FIELD_TEXT:
    case FIELD_NUMBERS:
    case FIELD_COUNTS:
    case FIELD_ANY:
        free(*(void **)at);
        break;
    }
}

void shape_done(const struct shape *shape, void *object)
{
    for (const struct field *field = shape->fields; field->key; field++)
        free_field(field, object);
    free(*(char **)((char *)object + shape->extra_offset));
    memset(object, 0, shape->size);
}

// reader: reads records from JSON according to the shapes of records; checks every key.
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/extent.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/want.h"
#include "check_record.h"
#include "core/record/records.h"
#include "core/record/shape.h"
#include "support/json/json.h"

// Location of an error in a record: "runs.jsonl:12: epochs[3].time".
struct place {
    const char *where;
    const struct place *parent;  // NULL: the record itself
    const char *key;             // NULL: an item of an array
    size_t index;
};

static void add_path(const struct place *place, struct text *out)
{
    if (!place->parent)
        return;
    add_path(place->parent, out);
    if (place->key)
        text_format(out, "%s%s", out->size ? "." : "", place->key);
    else
        text_format(out, "[%zu]", place->index);
}

static struct bilanx_error fault(const struct place *place, const char *wanted, const json_t *value)
{
    AUTO(text) struct text path = {0};
    add_path(place, &path);
    bool scalar = json_is_number(value) || json_is_string(value);
    AUTO(memory) char *shown = scalar ? print_json(value) : mem_text(kind_of_json(value));
    return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' must be %s, not %.60s", place->where,
                             text_get(&path), wanted, shown);
}

static struct bilanx_error read_object(const struct shape *shape, const json_t *object,
                                       const struct place *place, void *out);

static struct bilanx_error read_number(const json_t *value, const struct place *place, double *out)
{
    if (!json_is_number(value))
        return fault(place, "a number", value);
    *out = json_number_value(value);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_count(const json_t *value, const struct place *place, uint64_t *out)
{
    double number = json_is_number(value) ? json_number_value(value) : -1;
    // A tool that only has floating point writes 1000.0.
    if (number < 0 || number >= 0x1p63 || number != (double)(uint64_t)number)
        return fault(place, "a whole number of at least 0", value);
    *out = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)number;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_text(const json_t *value, const struct place *place, char **out)
{
    if (!json_is_string(value))
        return fault(place, "a string", value);
    *out = mem_text(json_string_value(value));
    return BILANX_SUCCESS;
}

static struct bilanx_error read_numbers(const json_t *value, const struct place *place,
                                        double **out, size_t *count)
{
    if (!json_is_array(value))
        return fault(place, "an array of numbers", value);
    size_t n = json_array_size(value);
    double *numbers = mem_array(double, n);
    *out = numbers;  // freed with the record in any case
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_number(item))
            return fault(&(struct place){place->where, place, NULL, i}, "a number", item);
        numbers[i] = json_number_value(item);
    }
    *count = n;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_counts(const json_t *value, const struct place *place,
                                       uint64_t **out, size_t *count)
{
    if (!json_is_array(value))
        return fault(place, "an array of whole numbers", value);
    size_t n = json_array_size(value);
    uint64_t *counts = mem_array(uint64_t, n);
    *out = counts;
    for (size_t i = 0; i < n; i++)
        BILANX_TRY(read_count(json_array_get(value, i),
                              &(struct place){place->where, place, NULL, i}, &counts[i]));
    *count = n;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_pair(const json_t *value, const struct place *place, double *out)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return fault(place, "an array of two numbers", value);
    for (size_t i = 0; i < 2; i++)
        BILANX_TRY(read_number(json_array_get(value, i),
                               &(struct place){place->where, place, NULL, i}, &out[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_error read_list(const struct field *field, const json_t *value,
                                     const struct place *place, void **out, size_t *count)
{
    if (!json_is_array(value))
        return fault(place, "an array", value);
    size_t n = json_array_size(value);
    char *items = mem_zeroed(n, field->shape->size);
    *out = items;
    *count = n;
    for (size_t i = 0; i < n; i++)
        BILANX_TRY(read_object(field->shape, json_array_get(value, i),
                               &(struct place){place->where, place, NULL, i},
                               items + i * field->shape->size));
    return BILANX_SUCCESS;
}

// An empty object counts as absent, and would not be written.
static struct bilanx_error read_pointer(const struct shape *shape, const json_t *value,
                                        const struct place *place, void **out)
{
    *out = mem_zeroed(1, shape->size);
    BILANX_TRY(read_object(shape, value, place, *out));
    if (!shape_says_nothing(shape, *out))
        return BILANX_SUCCESS;
    shape_done(shape, *out);
    free(*out);
    *out = NULL;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_field(const struct field *field, const json_t *value,
                                      const struct place *place, void *object)
{
    char *at = (char *)object + field->offset;
    size_t *count = (size_t *)((char *)object + field->count_offset);
    switch (field->type) {
    case FIELD_TEXT:
        return read_text(value, place, (char **)at);
    case FIELD_NUMBER:
        return read_number(value, place, (double *)at);
    case FIELD_COUNT:
        return read_count(value, place, (uint64_t *)at);
    case FIELD_PAIR:
        return read_pair(value, place, (double *)at);
    case FIELD_NUMBERS:
        return read_numbers(value, place, (double **)at, count);
    case FIELD_COUNTS:
        return read_counts(value, place, (uint64_t **)at, count);
    case FIELD_ANY:
        if (!json_is_object(value))
            return fault(place, "an object", value);
        *(char **)at = print_json(value);
        return BILANX_SUCCESS;
    case FIELD_STRUCT:
        return read_object(field->shape, value, place, at);
    case FIELD_POINTER:
        return read_pointer(field->shape, value, place, (void **)at);
    case FIELD_LIST:
        return read_list(field, value, place, (void **)at, count);
    case FIELD_MEMBERS:
        break;  // members are found by their own keys
    }
    return BILANX_SUCCESS;
}

static const struct field *find_field(const struct shape *shape, const char *key)
{
    for (const struct field *field = shape->fields; field->key; field++)
        if (field->type != FIELD_MEMBERS && strcmp(field->key, key) == 0)
            return field;
    return NULL;
}

// If 0 is a valid value, absence is NaN.
static void clear_figures(const struct shape *shape, void *object)
{
    for (const struct field *field = shape->fields; field->key; field++)
        if (field->type == FIELD_PAIR || (field->type == FIELD_NUMBER && field->zero_counts)) {
            double *at = (double *)((char *)object + field->offset);
            at[field->type == FIELD_PAIR] = at[0] = NAN;
        }
}

// A key that only records of one kind have, and the struct that contains it.
static const struct field *find_member(const struct shape *shape, const json_t *object,
                                       const char *key, void **out)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    for (const struct field *field = shape->fields; kind && field->key; field++) {
        if (field->type != FIELD_MEMBERS || strcmp(field->key, kind) != 0)
            continue;
        const struct field *member = find_field(field->shape, key);
        void **at = (void **)((char *)*out + field->offset);
        if (!member)
            continue;
        if (!*at) {
            *at = mem_zeroed(1, field->shape->size);
            clear_figures(field->shape, *at);
        }
        *out = *at;
        return member;
    }
    return NULL;
}

static struct bilanx_error read_object(const struct shape *shape, const json_t *object,
                                       const struct place *place, void *out)
{
    if (!json_is_object(object))
        return fault(place, "an object", object);
    clear_figures(shape, out);
    AUTO(json) json_t *unknown = NULL;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        void *holder = out;
        const struct field *field = find_field(shape, key);
        if (!field)
            field = find_member(shape, object, key, &holder);
        if (!field) {
            unknown = unknown ? unknown : json_object();
            json_object_set(unknown, key, value);
        } else if (!json_is_null(value))  // null is absent
            BILANX_TRY(
                read_field(field, value, &(struct place){place->where, place, key, 0}, holder));
    }
    if (unknown)
        *(char **)((char *)out + shape->extra_offset) = print_json(unknown);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_schema(const char *name, const char *where)
{
    if (text_equal(name, RECORD_SCHEMA))
        return BILANX_SUCCESS;
    int version = 0, size = 0;
    if (!name || sscanf(name, "bilanx/%d%n", &version, &size) != 1 || name[size])
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: not a bilanx record: its 'schema' is not '%s'", where,
                                 RECORD_SCHEMA);
    return bilanx_error_make(
        BILANX_E_INPUT, "%s: uses the schema '%s', but this bilanx reads '%s': use a newer bilanx",
        where, name, RECORD_SCHEMA);
}

struct bilanx_error bilanx_record_read(const char *json, size_t size, const char *where,
                                       struct bilanx_record *out)
{
    WANT(json);
    WANT(where);
    WANT(out);
    AUTO(json) json_t *object = NULL;
    BILANX_TRY(read_json(json, size, where, &object));
    if (!json_is_object(object))
        return bilanx_error_make(BILANX_E_INPUT, "%s: a record must be an object, not %s", where,
                                 kind_of_json(object));
    BILANX_TRY(check_schema(json_string_value(json_object_get(object, "schema")), where));
    json_object_del(object, "schema");
    AUTO(bilanx_record) struct bilanx_record record = {0};
    BILANX_TRY(read_object(&shape_record, object, &(struct place){.where = where}, &record));
    BILANX_TRY(check_record(&record, where));
    record_summarize(&record);
    *out = record;
    memset(&record, 0, sizeof record);
    return BILANX_SUCCESS;
}

// The state while lines are read.
struct reading {
    const struct reader_sink *sink;
    char where[256];  // the line: "runs.jsonl:12"
    size_t kept;      // records
};

static struct bilanx_error give(struct reading *reading, struct bilanx_record *record)
{
    reading->kept++;
    return reading->sink->take(reading->sink->context, record);
}

static void tell_left_out(const struct reading *reading, const char *why, size_t kept)
{
    AUTO(text) struct text line = {0};
    bool named = text_starts(why, reading->where);  // errors are
    text_format(&line, "%s%s%s; left out", named ? "" : reading->where, named ? "" : ": ", why);
    if (kept != SIZE_MAX)
        text_format(&line, ", kept the %zu record%s before it", kept, kept == 1 ? "" : "s");
    tell_line(reading->sink->tell, text_get(&line));
}

// The start of the next record in a damaged line; NULL: none.
static const char *next_start(const char *at, const char *end)
{
    static const char KEY[] = "\"schema\"";
    for (const char *key; (key = memmem(at, (size_t)(end - at), KEY, sizeof KEY - 1));) {
        const char *brace = key;
        while (brace > at && strchr(" \t", brace[-1]) && brace[-1])
            brace--;
        if (brace > at && brace[-1] == '{')
            return brace - 1;
        at = key + 1;
    }
    return NULL;
}

// If a line that was cut off has no newline, whole records may follow in the same line.
static struct bilanx_error salvage(struct reading *reading, const char *line, size_t size,
                                   const char *why)
{
    const char *end = line + size, *at = line;
    tell_left_out(reading, why, SIZE_MAX);
    for (const char *start; (start = next_start(at, end));) {
        const char *last = extent_end(start, end);
        AUTO(bilanx_record) struct bilanx_record record = {0};
        bool whole =
            last &&
            bilanx_record_read(start, (size_t)(last - start), reading->where, &record).status ==
                BILANX_OK;
        if (whole)
            BILANX_TRY(give(reading, &record));
        at = whole ? last : start + 1;
    }
    return BILANX_SUCCESS;
}

// A line that is no JSON was damaged, not written by another version: what is left can be saved.
static struct bilanx_error with_cure(const struct reading *reading, const char *line, size_t size,
                                     struct bilanx_error error)
{
    AUTO(json) json_t *object = NULL;
    if (read_json(line, size, reading->where, &object).status == BILANX_OK)
        return error;
    return bilanx_error_make(
        error.status, "%s; 'bilanx convert --salvage IN OUT' keeps the intact records", error.text);
}

static struct bilanx_error read_line(struct reading *reading, struct lines *lines, const char *line,
                                     size_t size)
{
    snprintf(reading->where, sizeof reading->where, "%s:%lu", lines->name, lines->number);
    AUTO(bilanx_record) struct bilanx_record record = {0};
    struct bilanx_error error = bilanx_record_read(line, size, reading->where, &record);
    if (error.status == BILANX_OK)
        return give(reading, &record);
    bool cut = extent_is_cut(line, size);
    if (reading->sink->salvage)
        return salvage(reading, line, size, cut ? "an incomplete record" : error.text);
    if (!cut || !lines->open_ended || !reading->sink->cut_short)
        return with_cure(reading, line, size, error);
    tell_left_out(reading, "the last line is incomplete", reading->kept);
    return BILANX_SUCCESS;
}

struct bilanx_error reader_each(struct lines *lines, const struct reader_sink *sink)
{
    struct reading reading = {.sink = sink};
    for (;;) {
        char *line;
        size_t size;
        struct bilanx_error error = lines_next(lines, &line, &size);
        if (error.status != BILANX_OK && sink->salvage && reading.kept) {
            tell_line(sink->tell, error.text);  // such as the end of a file that was compressed
            return BILANX_SUCCESS;
        }
        BILANX_TRY(error);
        if (!line)
            return BILANX_SUCCESS;
        if (strspn(line, " \t\r") != size)
            BILANX_TRY(read_line(&reading, lines, line, size));
    }
}

// Sets `*cut` to the number of an incomplete last line, or to 0, and counts the others.
static struct bilanx_error find_cut(struct lines *lines, size_t *kept, unsigned long *cut)
{
    for (*kept = 0, *cut = 0;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(lines, &line, &size));
        if (!line)
            return BILANX_SUCCESS;
        if (strspn(line, " \t\r") == size)
            continue;
        *cut = lines->open_ended && extent_is_cut(line, size) ? lines->number : 0;
        *kept += !*cut;
    }
}

void reader_tell_cut(const char *path, const struct tell *tell)
{
    AUTO(lines) struct lines lines = {0};
    const struct reader_sink sink = {.tell = tell};
    struct reading reading = {.sink = &sink};
    unsigned long cut;
    if (strcmp(path, "-") == 0 || file_check(path).status != BILANX_OK ||
        lines_open(path, &lines).status != BILANX_OK ||
        find_cut(&lines, &reading.kept, &cut).status != BILANX_OK || !cut)
        return;
    snprintf(reading.where, sizeof reading.where, "%s:%lu", lines.name, cut);
    tell_left_out(&reading, "the last line is incomplete", reading.kept);
}

struct record_list {
    struct bilanx_record *records;
    size_t count, room;
};

static void record_list_done(struct record_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        bilanx_record_done(&list->records[i]);
    free(list->records);
}
SCOPE_VALUE(record_list, record_list_done)

static struct bilanx_error add_record(void *context, struct bilanx_record *record)
{
    struct record_list *list = context;
    mem_grow(list->records, list->count, &list->room);
    list->records[list->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_record_read_file(const char *path, struct bilanx_record **out,
                                            size_t *count)
{
    WANT(path);
    WANT(out);
    WANT(count);
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    AUTO(record_list) struct record_list list = {0};
    BILANX_TRY(reader_each(&lines, &(struct reader_sink){add_record, &list}));
    *out = TAKE(list.records);
    *count = list.count;
    list.count = 0;
    return BILANX_SUCCESS;
}

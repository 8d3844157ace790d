// document: reads JSON documents of other tools.
#include "document.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

// jansson needs up to 150 bytes per value: this limits any document to about 2 GB.
enum { MOST_VALUES = 12000000 };
#define LARGEST ((size_t)256 << 20)

// The end of the string that starts at `at`; `end` if it is truncated.
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

bool document_begins_with(const char *bytes, size_t size, int depth, const char *key)
{
    size_t length = strlen(key);
    int level = 0;
    const char *end = bytes + size;
    for (const char *at = bytes; at < end;) {
        if (*at == '"') {
            const char *behind = string_end(at, end);
            const char *next = behind;
            while (next < end && strchr(" \t\r\n", *next) && *next)
                next++;
            if (level == depth && next < end && *next == ':' &&
                (size_t)(behind - at) == length + 2 && memcmp(at + 1, key, length) == 0)
                return true;
            at = behind;
            continue;
        }
        level += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    }
    return false;
}

// Words for special numbers, and their replacement for jansson, which must not be longer.
static const struct odd {
    const char *word, *as, *name;
} odds[] = {
    {"NaN", "[ ]", "NaN"},
    {"Infinity", "[1]", "Infinity"},
    {"-Infinity", "[-1]", "-Infinity"},
    {"nan", "[ ]", "NaN"},
    {"-nan", "[ ]", "NaN"},
    {"inf", "[1]", "Infinity"},
    {"-inf", "[-1]", "-Infinity"},
};

static const struct odd *odd_at(const char *at)
{
    if (!strchr("NI-ni", *at))
        return NULL;
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++)
        if (strncmp(at, odds[i].word, strlen(odds[i].word)) == 0)
            return &odds[i];
    return NULL;
}

// Replaces special numbers by arrays if requested, and counts values by commas and brackets.
// `bytes` must end in a NUL.
static size_t prepare(char *bytes, size_t size, bool odd_numbers)
{
    size_t values = 0;
    char *end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        memset(bytes, ' ', 3);
    for (char *at = bytes; at < end;) {
        if (*at == '"') {
            at += string_end(at, end) - at;
            continue;
        }
        values += *at == ',' || *at == '[' || *at == '{';
        const struct odd *odd = odd_numbers && *at ? odd_at(at) : NULL;
        if (odd) {
            size_t length = strlen(odd->word);
            memset(at, ' ', length);
            memcpy(at, odd->as, strlen(odd->as));
            at += length;
        } else {
            at++;
        }
    }
    return values;
}

static struct bilanx_error read_document(struct lines *lines, bool odd_numbers, json_t **out)
{
    const char *start;
    char *bytes = NULL;
    size_t size;
    BILANX_TRY(lines_peek(lines, LARGEST + 1, &start, &size));
    bool fits = size <= LARGEST;
    if (fits)
        BILANX_TRY(lines_rest(lines, &bytes, &size));
    if (!fits || prepare(bytes, size, odd_numbers) > MOST_VALUES)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: too large for one JSON document: over %zu MB or %d values. "
                                 "Split it, or store the results as bilanx records",
                                 lines->name, LARGEST >> 20, MOST_VALUES);
    AUTO(json) json_t *value = NULL;
    BILANX_TRY(read_json_document(bytes, size, lines->name, &value));
    if (!json_is_object(value))
        return bilanx_error_make(BILANX_E_INPUT, "%s: must be an object, not %s", lines->name,
                                 kind_of_json(value));
    *out = TAKE(value);
    return BILANX_SUCCESS;
}

struct bilanx_error document_read(struct lines *lines, json_t **out)
{
    return read_document(lines, false, out);
}

struct bilanx_error document_read_odd(struct lines *lines, json_t **out)
{
    return read_document(lines, true, out);
}

const char *document_odd_number(const json_t *value)
{
    if (!json_is_array(value) || json_array_size(value) > 1)
        return NULL;
    if (json_array_size(value) == 0)
        return "NaN";
    json_int_t sign = json_integer_value(json_array_get(value, 0));
    return sign == 1 ? "Infinity" : sign == -1 ? "-Infinity" : NULL;
}

struct bilanx_error place_fault(const struct place *place, const char *key, const char *wanted,
                                const json_t *value)
{
    const char *dot = *place->path && *key ? "." : "";
    if (!value || json_is_null(value))
        return bilanx_error_make(BILANX_E_INPUT, "%s: '%.200s%s%s' is missing: it must be %s",
                                 place->file, place->path, dot, key, wanted);
    const char *odd = document_odd_number(value);
    bool scalar = json_is_number(value) || json_is_string(value);
    AUTO(memory) char *shown =
        scalar ? print_json(value) : mem_text(odd ? odd : kind_of_json(value));
    return bilanx_error_make(BILANX_E_INPUT, "%s: '%.200s%s%s' must be %s, not %.60s", place->file,
                             place->path, dot, key, wanted, shown);
}

struct bilanx_error place_number(const struct place *place, const json_t *object, const char *key,
                                 double *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return BILANX_SUCCESS;
    if (!json_is_number(value))
        return place_fault(place, key, "a number", value);
    *out = json_number_value(value);
    return BILANX_SUCCESS;
}

struct bilanx_error place_time(const struct place *place, const json_t *object, const char *key,
                               double *out)
{
    double time = *out;
    BILANX_TRY(place_number(place, object, key, &time));
    if (time < 0)
        return place_fault(place, key, "a time of at least 0", json_object_get(object, key));
    *out = time;
    return BILANX_SUCCESS;
}

struct bilanx_error place_count(const struct place *place, const json_t *object, const char *key,
                                uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return BILANX_SUCCESS;
    double number = json_is_number(value) ? json_number_value(value) : 0;
    if (number < 1 || number >= 0x1p63 || number != (double)(uint64_t)number)
        return place_fault(place, key, "a whole number of at least 1", value);
    *out = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)number;
    return BILANX_SUCCESS;
}

struct bilanx_error place_text(const struct place *place, const json_t *object, const char *key,
                               const char **out)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return BILANX_SUCCESS;
    if (!json_is_string(value))
        return place_fault(place, key, "a string", value);
    *out = json_string_value(value);
    return BILANX_SUCCESS;
}

struct bilanx_error place_array(const struct place *place, const json_t *object, const char *key,
                                const json_t **out)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return BILANX_SUCCESS;
    if (!json_is_array(value))
        return place_fault(place, key, "an array", value);
    *out = value;
    return BILANX_SUCCESS;
}

struct bilanx_error place_object(const struct place *place, const json_t *object, const char *key,
                                 const json_t **out)
{
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return BILANX_SUCCESS;
    if (!json_is_object(value))
        return place_fault(place, key, "an object", value);
    *out = value;
    return BILANX_SUCCESS;
}

void document_add_real(struct text *out, double number)
{
    char digits[NUMBER_SIZE];
    if (!isfinite(number)) {
        text_add(out, "null");
        return;
    }
    number_shortest(number, digits);
    text_format(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

// json: reads JSON.
#include "json.h"

#include "base/json_writer.h"

static json_t *load(const char *text, size_t size, json_error_t *error)
{
    return json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, error);
}

struct bilanx_error read_json_document(const char *text, size_t size, const char *where,
                                       json_t **out)
{
    json_error_t error;
    json_t *value = load(text, size, &error);
    if (!value)
        return bilanx_error_make(BILANX_E_INPUT, "%s:%d:%d: not JSON: %s", where, error.line,
                                 error.column, error.text);
    *out = value;
    return BILANX_SUCCESS;
}

struct bilanx_error read_json(const char *text, size_t size, const char *where, json_t **out)
{
    json_error_t error;
    json_t *value = load(text, size, &error);
    if (!value)
        return bilanx_error_make(BILANX_E_INPUT, "%s:%d: not JSON: %s", where, error.column,
                                 error.text);
    *out = value;
    return BILANX_SUCCESS;
}

static void print_value(const json_t *value, struct json_writer *json)
{
    const char *key;
    json_t *item;
    size_t index;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        writer_open(json, '{');
        json_object_foreach((json_t *)value, key, item)
        {
            writer_key(json, key);
            print_value(item, json);
        }
        writer_close(json, '}');
        break;
    case JSON_ARRAY:
        writer_open(json, '[');
        json_array_foreach(value, index, item)
        {
            print_value(item, json);
        }
        writer_close(json, ']');
        break;
    case JSON_STRING:
        writer_text(json, json_string_value(value));
        break;
    case JSON_INTEGER: {
        char digits[32];
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        writer_raw(json, digits);
        break;
    }
    case JSON_REAL:
        writer_number(json, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        writer_bool(json, json_is_true(value));
        break;
    case JSON_NULL:
        writer_raw(json, "null");
        break;
    }
}

char *print_json(const json_t *value)
{
    struct text text = {0};
    struct json_writer json = {.out = &text};
    print_value(value, &json);
    return text_take(&text);
}

const char *kind_of_json(const json_t *value)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return kinds[json_typeof(value)];
}

// json_keys: structs as small JSON files, by a table of their keys.
#include "json_keys.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/list.h"
#include "base/mem.h"
#include "run_folder.h"
#include "support/json/json.h"

static void write_list(struct json_writer *json, const struct list *list)
{
    writer_open(json, '[');
    for (size_t i = 0; i < list->count; i++)
        writer_text(json, list->items[i]);
    writer_close(json, ']');
}

static void write_value(struct json_writer *json, const struct json_key *key, const char *at)
{
    switch (key->type) {
    case JSON_TEXT:
        writer_text(json, *(char *const *)at);
        break;
    case JSON_TEXTS:
        write_list(json, (const struct list *)at);
        break;
    case JSON_COUNT:
        writer_count(json, *(const uint64_t *)at);
        break;
    case JSON_NUMBER:
        writer_number(json, *(const double *)at);
        break;
    case JSON_ENUM:
        writer_count(json, (uint64_t)*(const int *)at);
        break;
    case JSON_BOOL:
        writer_bool(json, *(const bool *)at);
        break;
    }
}

struct bilanx_error json_keys_write(const char *path, const struct json_key *keys,
                                    const void *object)
{
    AUTO(text) struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (const struct json_key *key = keys; key->name; key++) {
        const char *at = (const char *)object + key->offset;
        if (key->type == JSON_TEXT && !*(char *const *)at)
            continue;
        writer_key(&json, key->name);
        write_value(&json, key, at);
    }
    writer_close(&json, '}');
    text_add(&text, "\n");
    return run_file_write(path, text_get(&text), text.size);
}

static bool read_list(const json_t *value, struct list *out)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_string(item))
            return false;
        list_add(out, json_string_value(item));
    }
    return json_is_array(value);
}

static bool read_value(const json_t *value, const struct json_key *key, char *at)
{
    bool count = json_is_integer(value) && json_integer_value(value) >= 0;
    switch (key->type) {
    case JSON_TEXT:
        if (!json_is_string(value))
            return false;
        free(*(char **)at);
        *(char **)at = mem_text(json_string_value(value));
        return true;
    case JSON_TEXTS:
        return read_list(value, (struct list *)at);
    case JSON_COUNT:
        *(uint64_t *)at = count ? (uint64_t)json_integer_value(value) : 0;
        return count;
    case JSON_NUMBER:
        *(double *)at = json_number_value(value);
        return json_is_number(value);
    case JSON_ENUM:
        *(int *)at = count ? (int)json_integer_value(value) : 0;
        return count;
    case JSON_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    }
    return false;
}

struct bilanx_error json_keys_read(const char *path, const struct json_key *keys, void *object)
{
    AUTO(text) struct text text = {0};
    AUTO(json) json_t *value = NULL;
    BILANX_TRY(file_read(path, &text));
    BILANX_TRY(read_json(text_get(&text), text.size, path, &value));
    for (const struct json_key *key = keys; key->name; key++) {
        const json_t *member = json_object_get(value, key->name);
        if (member && !read_value(member, key, (char *)object + key->offset))
            return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' cannot be %s", path, key->name,
                                     kind_of_json(member));
    }
    return BILANX_SUCCESS;
}

// losses: works on the shapes of records, so that a new key is never lost silently.
#include "losses.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/record/shape.h"
#include "support/json/json.h"

void losses_done(struct losses *losses)
{
    for (size_t i = 0; i < losses->count; i++)
        free(losses->items[i].what);
    free(losses->items);
    *losses = (struct losses){0};
}

void losses_add(struct losses *losses, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < losses->count; i++)
        if (strcmp(losses->items[i].what, what) == 0) {
            losses->items[i].records++;
            return;
        }
    enum { MOST = 200 };  // no user reads more, and there may be any number of counters
    if (losses->count == MOST)
        snprintf(what, sizeof what, "and more");
    if (losses->count > MOST)
        return;
    mem_grow(losses->items, losses->count, &losses->room);
    losses->items[losses->count++] = (struct loss){mem_text(what), 1};
}

static bool all_zero(const char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static bool is_there(const struct field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    switch (field->type) {
    case FIELD_NUMBER:
        return isfinite(*(const double *)at) && *(const double *)at != 0;
    case FIELD_COUNT:
        return *(const uint64_t *)at != 0;
    case FIELD_PAIR:
        return isfinite(((const double *)at)[0]);
    case FIELD_NUMBERS:
    case FIELD_COUNTS:
    case FIELD_LIST:
        return *(const size_t *)((const char *)object + field->count_offset) != 0;
    case FIELD_STRUCT:
        return !all_zero(at, field->shape->size);
    case FIELD_TEXT:
    case FIELD_ANY:
    case FIELD_POINTER:
    case FIELD_MEMBERS:
        return *(void *const *)at != NULL;
    }
    return false;
}

static bool is_held(const char *const *holds, const char *path)
{
    for (; *holds; holds++)
        if (strcmp(*holds, path) == 0)
            return true;
    return false;
}

static bool is_held_in_part(const char *const *holds, const char *key)
{
    size_t size = strlen(key);
    for (; *holds; holds++)
        if (strncmp(*holds, key, size) == 0 && (*holds)[size] == '.')
            return true;
    return false;
}

static void look_at_unknown(struct losses *losses, const char *extra, const char *const *holds)
{
    AUTO(json) json_t *object = NULL;
    if (!extra || read_json(extra, strlen(extra), "extra", &object).status != BILANX_OK)
        return;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!is_held(holds, key))
            losses_add(losses, "'%s'", key);
    }
}

static void look_at(struct losses *losses, const struct shape *shape, const void *object,
                    const char *prefix, const char *const *holds)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        char path[80];
        snprintf(path, sizeof path, "%s%s", prefix, field->key);
        if (!is_there(field, object) || is_held(holds, path) || strcmp(path, "warnings") == 0)
            continue;
        const char *at = (const char *)object + field->offset;
        bool pointer = field->type == FIELD_POINTER;
        if ((pointer || field->type == FIELD_STRUCT) && is_held_in_part(holds, path)) {
            strcat(path, ".");
            look_at(losses, field->shape, pointer ? *(void *const *)at : at, path, holds);
        } else {
            losses_add(losses, "'%s'", path);
        }
    }
    look_at_unknown(losses, *(char *const *)((const char *)object + shape->extra_offset), holds);
}

// Warnings about the spread of times are recomputed from the times.
static void look_at_warnings(struct losses *losses, const struct bilanx_record *record,
                             const char *const *holds)
{
    for (size_t i = 0; i < record->warning_count && !is_held(holds, "warnings"); i++) {
        const char *code = record->warnings[i].code;
        if (text_equal(code, "wide-interval") || text_equal(code, "high-iqr") ||
            text_equal(code, "unreliable-iqr"))
            continue;
        losses_add(losses, "'warnings'");
        return;
    }
}

void losses_of(struct losses *losses, const struct bilanx_record *record, const char *const *holds)
{
    look_at(losses, &shape_record, record, "", holds);
    look_at_warnings(losses, record, holds);
    // The other statistics are recomputed from the times.
    if (record->stats.marginal > 0)
        losses_add(losses, "'stats.marginal'");
}

void losses_tell(const struct losses *losses, void (*lost)(void *context, const char *what),
                 void *context)
{
    for (size_t i = 0; i < losses->count; i++) {
        size_t records = losses->items[i].records;
        AUTO(text) struct text what = {0};
        for (size_t j = 0; j < losses->count; j++)
            if (losses->items[j].records == records) {
                if (j < i)
                    break;  // reported with an earlier one
                text_format(&what, "%s%s", j > i ? "; " : "", losses->items[j].what);
            }
        if (what.size == 0)
            continue;
        text_format(&what, " (%zu record%s)", records, &"s"[records == 1]);
        lost(context, text_get(&what));
    }
}

// arguments: the arguments of a call, by their names in the operator's schema.
#include <string.h>

#include "frame.h"

int schema_position(const char *schema, const char *name)
{
    size_t length = strlen(name);
    int at = 0;
    for (const char *word = schema; *word; at++) {
        word += strspn(word, "*!?");
        if (strcspn(word, " =") == length && memcmp(word, name, length) == 0)
            return at;
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    return -1;
}

const struct bilanx_value *argument(const struct frame *frame, const char *name)
{
    const struct bilanx_value *value =
        bilanx_call_value(frame->call, schema_position(frame->routine->schema, name), name);
    return value && value->kind != BILANX_NONE ? value : NULL;
}

bool has_argument(const struct frame *frame, const char *name)
{
    return argument(frame, name) != NULL;
}

bool argument_view(const struct frame *frame, const char *name, struct view *out)
{
    const struct bilanx_value *value = argument(frame, name);
    if (!value || value->kind != BILANX_TENSOR)
        return false;
    *out = view_of(value->tensor, value->is_bool);
    return true;
}

double argument_real(const struct frame *frame, const char *name, double otherwise)
{
    return bilanx_value_real(argument(frame, name), otherwise);
}

int64_t argument_integer(const struct frame *frame, const char *name, int64_t otherwise)
{
    const struct bilanx_value *value = argument(frame, name);
    return !value ? otherwise : value->kind == BILANX_REAL ? (int64_t)value->real : value->integer;
}

int argument_integers(const struct frame *frame, const char *name, int64_t *out)
{
    return bilanx_call_integers(frame->call, schema_position(frame->routine->schema, name), name,
                                out, BILANX_MAX_DIMENSIONS);
}

bool argument_item(const struct frame *frame, const char *name, size_t item)
{
    const struct bilanx_value *value = argument(frame, name);
    return value && item < value->count && value->items[item].integer;
}

const char *argument_text(const struct frame *frame, const char *name, const char *otherwise)
{
    const struct bilanx_value *value = argument(frame, name);
    return value && value->text ? value->text : otherwise;
}

const struct dtype *argument_type(const struct frame *frame, const char *name,
                                  const struct dtype *otherwise)
{
    static const char *const torch_names[][2] = {
        {"float16", "f16"}, {"half", "f16"},    {"bfloat16", "bf16"}, {"float32", "f32"},
        {"float", "f32"},   {"float64", "f64"}, {"double", "f64"},    {"int8", "i8"},
        {"int16", "i16"},   {"int32", "i32"},   {"int64", "i64"},     {"long", "i64"},
        {"uint8", "u8"},    {"b8", "bool"},
    };
    const char *word = argument_text(frame, name, NULL);
    if (!word)
        return otherwise;
    if (strncmp(word, "torch.", 6) == 0)
        word += 6;
    for (size_t i = 0; i < sizeof torch_names / sizeof *torch_names; i++)
        if (strcmp(word, torch_names[i][0]) == 0)
            word = torch_names[i][1];
    return dtype_find(word);
}

bool value_view(const struct bilanx_value *value, double *storage, struct view *out)
{
    if (!value)
        return false;
    if (value->kind == BILANX_TENSOR) {
        *out = view_of(value->tensor, value->is_bool);
        return true;
    }
    *out = (struct view){.data = (char *)storage};
    switch (value->kind) {
    case BILANX_TRUTH:
        out->type = dtype_find("bool");
        *(uint8_t *)(void *)storage = value->integer != 0;
        return true;
    case BILANX_INTEGER:
        out->type = dtype_find("i64");
        memcpy(storage, &value->integer, sizeof *storage);
        return true;
    case BILANX_REAL:
        out->type = dtype_find("f64");
        *storage = value->real;
        return true;
    default:
        return false;
    }
}

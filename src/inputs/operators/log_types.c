// log_types: the table.
#include "log_types.h"

#include <string.h>

#include "base/text.h"

// 8-bit floats have no code in the DLPack of Debian 12. They are never passed on.
enum { OPAQUE = kDLOpaqueHandle };

#define REAL(name_, torch_, code_, bits_) {name_, torch_, LOG_TYPE_REAL, {code_, bits_, 1}, false}
#define COMPLEX(name_, torch_, bits_) \
    {name_, torch_, LOG_TYPE_COMPLEX, {kDLComplex, bits_, 1}, false}
#define EXACT(name_, torch_, code_, bits_) {name_, torch_, LOG_TYPE_EXACT, {code_, bits_, 1}, false}

const struct log_type log_types[] = {
    REAL("f16", "float16", kDLFloat, 16),
    REAL("bf16", "bfloat16", kDLBfloat, 16),
    REAL("f32", "float32", kDLFloat, 32),
    REAL("f64", "float64", kDLFloat, 64),
    REAL("f8e4m3fn", "float8_e4m3fn", OPAQUE, 8),
    REAL("f8e5m2", "float8_e5m2", OPAQUE, 8),
    REAL("f8e4m3fnuz", "float8_e4m3fnuz", OPAQUE, 8),
    REAL("f8e5m2fnuz", "float8_e5m2fnuz", OPAQUE, 8),
    COMPLEX("c32", "complex32", 32),
    COMPLEX("c64", "complex64", 64),
    COMPLEX("c128", "complex128", 128),
    EXACT("i8", "int8", kDLInt, 8),
    EXACT("i16", "int16", kDLInt, 16),
    EXACT("i32", "int32", kDLInt, 32),
    EXACT("i64", "int64", kDLInt, 64),
    EXACT("u8", "uint8", kDLUInt, 8),
    EXACT("u16", "uint16", kDLUInt, 16),
    EXACT("u32", "uint32", kDLUInt, 32),
    EXACT("u64", "uint64", kDLUInt, 64),
    {"b8", "bool", LOG_TYPE_EXACT, {kDLUInt, 8, 1}, true},
    {0},
};

// PyTorch's other names for some of them.
static const char *const synonyms[][2] = {
    {"half", "float16"},    {"float", "float32"},    {"double", "float64"},
    {"chalf", "complex32"}, {"cfloat", "complex64"}, {"cdouble", "complex128"},
    {"short", "int16"},     {"int", "int32"},        {"long", "int64"},
};

static const struct log_type *find_torch(const char *name)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(name, synonyms[i][0]) == 0)
            name = synonyms[i][1];
    for (const struct log_type *type = log_types; type->name; type++)
        if (strcmp(type->torch, name) == 0)
            return type;
    return NULL;
}

const struct log_type *log_type_find(const char *name)
{
    static const char prefix[] = "torch.";
    if (text_starts(name, prefix))
        return find_torch(name + strlen(prefix));
    for (const struct log_type *type = log_types; type->name; type++)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

const struct log_type *log_type_of(DLDataType type, bool is_bool)
{
    for (const struct log_type *known = log_types; known->name; known++)
        if (known->type.code == type.code && known->type.bits == type.bits &&
            known->is_bool == is_bool)
            return known;
    return NULL;
}

// blocks: elements of any type from and to doubles and 64-bit integers.
//
// A conversion to a narrower integer keeps the lower bits; one from a real number truncates. A
// boolean is 1 for everything except 0.
#include <math.h>
#include <string.h>

#include "view.h"

enum number { F16, BF16, F32, F64, I8, I16, I32, I64, U8, BOOL };

static enum number number_of(const struct dtype *type)
{
    if (type->is_bool)
        return BOOL;
    if (type->kind == DTYPE_REAL)
        return type->type.code == kDLBfloat ? BF16
               : type->size == 2            ? F16
               : type->size == 4            ? F32
                                            : F64;
    if (type->type.code == kDLUInt)
        return U8;
    return type->size == 1 ? I8 : type->size == 2 ? I16 : type->size == 4 ? I32 : I64;
}

static void load_halves(const struct dtype *type, const char *from, int64_t stride, size_t count,
                        double *to)
{
    uint16_t block[VIEW_BLOCK];
    const uint16_t *numbers = (const uint16_t *)(const void *)from;
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < VIEW_BLOCK ? count - i : VIEW_BLOCK;
        for (size_t j = 0; j < n; j++)
            block[j] = numbers[(int64_t)(i + j) * stride];
        type->widen(block, n, to + i);
    }
}

static void store_halves(const struct dtype *type, char *to, int64_t stride, size_t count,
                         const double *from)
{
    uint16_t block[VIEW_BLOCK];
    uint16_t *numbers = (uint16_t *)(void *)to;
    for (size_t i = 0, n; i < count; i += n) {
        n = count - i < VIEW_BLOCK ? count - i : VIEW_BLOCK;
        type->narrow(from + i, n, block);
        for (size_t j = 0; j < n; j++)
            numbers[(int64_t)(i + j) * stride] = block[j];
    }
}

// Conversions that C leaves undefined, such as of a NaN or a number out of range, give the smallest
// integer.
static int64_t truncated(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

#define AT(c_type, pointer) (((c_type *)(void *)(pointer))[(int64_t)i * stride])
#define LOAD(label, c_type)                 \
    case label:                             \
        for (size_t i = 0; i < count; i++)  \
            to[i] = AT(const c_type, from); \
        break;
#define STORE(label, c_type, convert)                  \
    case label:                                        \
        for (size_t i = 0; i < count; i++)             \
            AT(c_type, to) = (c_type)convert(from[i]); \
        break;
#define TRUTH(x) ((x) != 0)
#define AS_IS(x) (x)
#define UNSIGNED(x) (uint64_t)(x)

void load_reals(const struct dtype *type, const char *from, int64_t stride, size_t count,
                double *to)
{
    switch (number_of(type)) {
    case F16:
    case BF16:
        load_halves(type, from, stride, count, to);
        break;
        LOAD(F32, float)
        LOAD(F64, double)
        LOAD(I8, int8_t)
        LOAD(I16, int16_t)
        LOAD(I32, int32_t)
    case I64:
        for (size_t i = 0; i < count; i++)
            to[i] = (double)AT(const int64_t, from);
        break;
        LOAD(U8, uint8_t)
        LOAD(BOOL, uint8_t)
    }
}

void load_integers(const struct dtype *type, const char *from, int64_t stride, size_t count,
                   int64_t *to)
{
    switch (number_of(type)) {
    case F16:
    case BF16:
    case F32:
    case F64:
        for (size_t i = 0; i < count; i++) {
            double real;
            load_reals(type, from + (int64_t)i * stride * (int64_t)type->size, 1, 1, &real);
            to[i] = truncated(real);
        }
        break;
        LOAD(I8, int8_t)
        LOAD(I16, int16_t)
        LOAD(I32, int32_t)
        LOAD(I64, int64_t)
        LOAD(U8, uint8_t)
        LOAD(BOOL, uint8_t)
    }
}

void store_reals(const struct dtype *type, char *to, int64_t stride, size_t count,
                 const double *from)
{
    switch (number_of(type)) {
    case F16:
    case BF16:
        store_halves(type, to, stride, count, from);
        break;
        STORE(F32, float, AS_IS)
        STORE(F64, double, AS_IS)
        STORE(I8, int8_t, truncated)
        STORE(I16, int16_t, truncated)
        STORE(I32, int32_t, truncated)
        STORE(I64, int64_t, truncated)
        STORE(U8, uint8_t, truncated)
        STORE(BOOL, uint8_t, TRUTH)
    }
}

void store_integers(const struct dtype *type, char *to, int64_t stride, size_t count,
                    const int64_t *from)
{
    switch (number_of(type)) {
    case F16:
    case BF16:
        for (size_t i = 0; i < count; i++) {
            double real = (double)from[i];
            store_halves(type, to + (int64_t)i * stride * 2, 1, 1, &real);
        }
        break;
        STORE(F32, float, AS_IS)
        STORE(F64, double, AS_IS)
        STORE(I8, int8_t, UNSIGNED)
        STORE(I16, int16_t, UNSIGNED)
        STORE(I32, int32_t, UNSIGNED)
        STORE(I64, int64_t, UNSIGNED)
        STORE(U8, uint8_t, UNSIGNED)
        STORE(BOOL, uint8_t, TRUTH)
    }
}

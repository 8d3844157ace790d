// dtype: the table of types, and conversions of arrays from and to double.
#include "dtype.h"

#include <float.h>
#include <string.h>

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A format of 16 bits: f16 has 5 bits of exponent and 10 of fraction, bf16 has 8 and 7. The
// conversions need no subnormal arithmetic, because a process may have switched it off.
struct half {
    int fraction, bias;
};
static const struct half f16_format = {10, 15}, bf16_format = {7, 127};

static inline double half_to_double(struct half format, uint16_t half)
{
    unsigned top = 2 * (unsigned)format.bias + 1;  // the exponent of infinity and NaN
    uint64_t sign = (uint64_t)(half >> 15) << 63;
    unsigned exponent = (half & 0x7FFF) >> format.fraction;
    uint64_t fraction = half & ((1u << format.fraction) - 1);
    if (exponent == 0) {  // subnormal: a multiple of the smallest number
        double unit = double_from_bits((uint64_t)(1023 + 1 - format.bias - format.fraction) << 52);
        return sign ? -(double)fraction * unit : (double)fraction * unit;
    }
    uint64_t wide = exponent == top ? 0x7FF : exponent + 1023 - (unsigned)format.bias;
    return double_from_bits(sign | wide << 52 | fraction << (52 - format.fraction));
}

static inline uint16_t half_from_double(struct half format, double value)
{
    int dropped = 52 - format.fraction;
    uint64_t bits = bits_of_double(value);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint64_t magnitude = bits & INT64_MAX;
    uint64_t infinity = (uint64_t)(2 * format.bias + 1) << format.fraction;
    if (magnitude > (uint64_t)0x7FF << 52)
        return (uint16_t)(sign | infinity | 1u << (format.fraction - 1));
    if (magnitude >> 52 < (uint64_t)(1024 - format.bias)) {
        // Subnormal. In this sum, the last bit is worth the smallest number; the processor rounds.
        uint64_t anchor = (uint64_t)(1023 + 1 - format.bias + dropped) << 52;
        double sum = double_from_bits(magnitude) + double_from_bits(anchor);
        return (uint16_t)(sign | (bits_of_double(sum) - anchor));
    }
    uint64_t odd = magnitude >> dropped & 1;
    magnitude += ((uint64_t)1 << (dropped - 1)) - 1 + odd;  // may carry into the exponent
    uint64_t half = (magnitude >> dropped) - ((uint64_t)(1023 - format.bias) << format.fraction);
    return (uint16_t)(sign | (half < infinity ? half : infinity));
}

#define WIDEN(name, c_type, convert)                                     \
    static void widen_##name(const void *from, size_t count, double *to) \
    {                                                                    \
        const c_type *numbers = from;                                    \
        for (size_t i = 0; i < count; i++)                               \
            to[i] = convert(numbers[i]);                                 \
    }
#define NARROW(name, c_type, convert)                                     \
    static void narrow_##name(const double *from, size_t count, void *to) \
    {                                                                     \
        c_type *numbers = to;                                             \
        for (size_t i = 0; i < count; i++)                                \
            numbers[i] = convert(from[i]);                                \
    }
#define F16_TO_DOUBLE(x) half_to_double(f16_format, x)
#define DOUBLE_TO_F16(x) half_from_double(f16_format, x)
#define BF16_TO_DOUBLE(x) half_to_double(bf16_format, x)
#define DOUBLE_TO_BF16(x) half_from_double(bf16_format, x)

WIDEN(f16, uint16_t, F16_TO_DOUBLE)
WIDEN(bf16, uint16_t, BF16_TO_DOUBLE)
WIDEN(f32, float, (double))
WIDEN(f64, double, (double))
WIDEN(i8, int8_t, (double))
WIDEN(i16, int16_t, (double))
WIDEN(i32, int32_t, (double))
WIDEN(i64, int64_t, (double))
WIDEN(u8, uint8_t, (double))
NARROW(f16, uint16_t, DOUBLE_TO_F16)
NARROW(bf16, uint16_t, DOUBLE_TO_BF16)
NARROW(f32, float, (float))
NARROW(f64, double, (double))

#define REAL(name_, code_, bits_, parts_, of, precision_, most, relative_, absolute_, npy_) \
    {.name = name_,                                                                         \
     .type = {code_, bits_, 1},                                                             \
     .kind = DTYPE_REAL,                                                                    \
     .size = bits_ / 8,                                                                     \
     .parts = parts_,                                                                       \
     .precision = precision_,                                                               \
     .smallest = -(most),                                                                   \
     .largest = most,                                                                       \
     .relative = relative_,                                                                 \
     .absolute = absolute_,                                                                 \
     .npy = npy_,                                                                           \
     .widen = widen_##of,                                                                   \
     .narrow = narrow_##of}
#define INTEGER(name_, code_, bits_, of, least, most, npy_) \
    {.name = name_,                                         \
     .type = {code_, bits_, 1},                             \
     .kind = DTYPE_INTEGER,                                 \
     .size = bits_ / 8,                                     \
     .parts = 1,                                            \
     .smallest = least,                                     \
     .largest = most,                                       \
     .npy = npy_,                                           \
     .widen = widen_##of}

// Tolerances are those of PyTorch's assert_close.
const struct dtype dtypes[] = {
    REAL("f16", kDLFloat, 16, 1, f16, 11, 65504.0, 1e-3, 1e-5, "f2"),
    REAL("bf16", kDLBfloat, 16, 1, bf16, 8, 0x1.fep127, 1.6e-2, 1e-5, "f4"),
    REAL("f32", kDLFloat, 32, 1, f32, 24, FLT_MAX, 1.3e-6, 1e-5, "f4"),
    REAL("f64", kDLFloat, 64, 1, f64, 53, DBL_MAX, 1e-7, 1e-7, "f8"),
    REAL("c64", kDLComplex, 64, 2, f32, 24, FLT_MAX, 1.3e-6, 1e-5, "c8"),
    REAL("c128", kDLComplex, 128, 2, f64, 53, DBL_MAX, 1e-7, 1e-7, "c16"),
    INTEGER("i8", kDLInt, 8, i8, -128, 127, "i1"),
    INTEGER("i16", kDLInt, 16, i16, -32768, 32767, "i2"),
    INTEGER("i32", kDLInt, 32, i32, INT32_MIN, INT32_MAX, "i4"),
    INTEGER("i64", kDLInt, 64, i64, -0x1p63, 0x1p63, "i8"),
    INTEGER("u8", kDLUInt, 8, u8, 0, 255, "u1"),
    {.name = "bool",
     .type = {kDLUInt, 8, 1},
     .is_bool = true,
     .kind = DTYPE_INTEGER,
     .size = 1,
     .parts = 1,
     .largest = 1,
     .npy = "b1",
     .widen = widen_u8},
    {0},
};

const struct dtype *dtype_find(const char *name)
{
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++)
        if (strcmp(dtype->name, name) == 0)
            return dtype;
    return NULL;
}

enum { DLPACK_BOOL = 6 };  // kDLBool, since DLPack 1.0

const struct dtype *dtype_of(DLDataType type, bool is_bool)
{
    if (type.code == DLPACK_BOOL && type.bits == 8) {
        type.code = kDLUInt;
        is_bool = true;
    }
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++)
        if (dtype->type.code == type.code && dtype->type.bits == type.bits && type.lanes == 1 &&
            dtype->is_bool == is_bool)
            return dtype;
    return NULL;
}

const char *dtype_names(void)
{
    return "f16, bf16, f32, f64, c64, c128, i8, i16, i32, i64, u8, bool";
}

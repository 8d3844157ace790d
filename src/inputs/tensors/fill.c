// fill: makes numbers in pieces that stay in the cache, then converts them.
#include "fill.h"

#include <math.h>
#include <string.h>

#include "normal.h"
#include "stream.h"
#include "uniform.h"

enum { PIECE = 1024 };  // numbers; even, since normal numbers come in pairs

static bool is_whole(double value)
{
    return fabs(value) >= 0x1p53 || value == (double)(int64_t)value;
}

static struct bilanx_error check_range(const struct tensor_description *description,
                                       const struct dtype *dtype)
{
    double low = description->low, high = description->high;
    if (low > high)
        return bilanx_error_make(BILANX_E_USAGE, "the range starts at %g and ends at %g", low,
                                 high);
    if (low < dtype->smallest || high > dtype->largest)
        return bilanx_error_make(BILANX_E_USAGE, "the range %g to %g is more than %s can hold", low,
                                 high, dtype->name);
    if (dtype->kind == DTYPE_REAL && !isfinite(high - low))
        return bilanx_error_make(BILANX_E_USAGE, "the range %g to %g is too wide", low, high);
    if (dtype->kind == DTYPE_INTEGER && !(is_whole(low) && is_whole(high)))
        return bilanx_error_make(BILANX_E_USAGE, "%g to %g is not a range of integers", low, high);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_normal(const struct tensor_description *description,
                                        const struct dtype *dtype)
{
    if (dtype->kind != DTYPE_REAL)
        return bilanx_error_make(BILANX_E_USAGE, "%s cannot be normally distributed", dtype->name);
    if (description->high < 0)
        return bilanx_error_make(BILANX_E_USAGE, "the standard deviation is %g", description->high);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_permutation(const struct tensor_description *description,
                                             const struct dtype *dtype)
{
    (void)description;
    if (dtype->kind != DTYPE_INTEGER)
        return bilanx_error_make(BILANX_E_USAGE, "a permutation cannot be of type %s", dtype->name);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_indices(const struct tensor_description *description,
                                         const struct dtype *dtype)
{
    double high = description->high;
    if (dtype->kind != DTYPE_INTEGER)
        return bilanx_error_make(BILANX_E_USAGE, "indices cannot be of type %s", dtype->name);
    if (!(high >= 1 && high - 1 <= dtype->largest && is_whole(high)))
        return bilanx_error_make(BILANX_E_USAGE, "%s cannot hold indices below %g", dtype->name,
                                 high);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_shares(const struct tensor_description *description,
                                        const struct dtype *dtype)
{
    double nan = description->nan_share, inf = description->inf_share;
    if (!(nan >= 0 && inf >= 0 && nan + inf <= 1))
        return bilanx_error_make(BILANX_E_USAGE, "shares of NaN and infinity are %g and %g", nan,
                                 inf);
    if (dtype->kind != DTYPE_REAL && nan + inf > 0)
        return bilanx_error_make(BILANX_E_USAGE, "%s has neither NaN nor infinity", dtype->name);
    return BILANX_SUCCESS;
}

struct bilanx_error fill_check(const struct tensor_description *description)
{
    static struct bilanx_error (*const checks[])(const struct tensor_description *,
                                                 const struct dtype *) = {
        [TENSOR_UNIFORM] = check_range,
        [TENSOR_NORMAL] = check_normal,
        [TENSOR_PERMUTATION] = check_permutation,
        [TENSOR_INDICES] = check_indices,
    };
    const struct dtype *dtype = dtype_of(description->dtype, description->is_bool);
    if (!dtype)
        return bilanx_error_make(BILANX_E_USAGE, "the type is none of %s", dtype_names());
    if (!isfinite(description->low) || !isfinite(description->high))
        return bilanx_error_make(BILANX_E_USAGE, "the range %g to %g is not finite",
                                 description->low, description->high);
    if ((size_t)description->fill >= sizeof checks / sizeof *checks)
        return bilanx_error_make(BILANX_E_USAGE, "there is no distribution %d",
                                 (int)description->fill);
    BILANX_TRY(checks[description->fill](description, dtype));
    return check_shares(description, dtype);
}

// The value, rounded to the type.
static double rounded(const struct dtype *dtype, double value)
{
    double number[2];  // room for a number of any type
    dtype->narrow(&value, 1, number);
    dtype->widen(number, 1, &value);
    return value;
}

// The largest value of the type that is less than `high`: the previous pattern of bits.
static double next_below(const struct dtype *dtype, double high)
{
    unsigned bits = dtype->type.bits / dtype->parts;
    union {
        uint16_t half;
        uint32_t single;
        uint64_t whole;
    } number;
    dtype->narrow(&high, 1, &number);
    uint64_t pattern = bits == 16 ? number.half : bits == 32 ? number.single : number.whole;
    if (high == 0)
        pattern = ((uint64_t)1 << (bits - 1)) + 1;  // the negative number closest to 0
    else
        pattern = high > 0 ? pattern - 1 : pattern + 1;
    if (bits == 16)
        number.half = (uint16_t)pattern;
    else if (bits == 32)
        number.single = (uint32_t)pattern;
    else
        number.whole = pattern;
    dtype->widen(&number, 1, &high);
    return high;
}

static void init_real(struct fill *fill, const struct tensor_description *description)
{
    const struct dtype *dtype = fill->dtype;
    if (fill->kind == TENSOR_NORMAL) {
        fill->low = description->low;
        fill->range = description->high;
        return;
    }
    double high = rounded(dtype, description->high);
    fill->low = rounded(dtype, description->low);
    fill->range = high - fill->low;
    fill->below = fill->low < high ? next_below(dtype, high) : high;
}

static void init_integer(struct fill *fill, const struct tensor_description *description)
{
    if (fill->kind == TENSOR_INDICES) {
        fill->count = (uint64_t)description->high;
        return;
    }
    double high = description->high;
    int64_t most = high >= 0x1p63 ? INT64_MAX : (int64_t)high;
    fill->least = description->low >= 0x1p63 ? INT64_MAX : (int64_t)description->low;
    fill->count = (uint64_t)most - (uint64_t)fill->least + 1;
}

void fill_init(struct fill *fill, const struct tensor_description *description)
{
    *fill = (struct fill){
        .dtype = dtype_of(description->dtype, description->is_bool),
        .kind = description->fill,
        .key = stream_key(description->seed, STREAM_VALUES),
        .exception_key = stream_key(description->seed, STREAM_EXCEPTIONS),
        .nan_limit = (uint64_t)(description->nan_share * 0x1p32),
    };
    fill->inf_limit = fill->nan_limit + (uint64_t)(description->inf_share * 0x1p32);
    if (fill->dtype->kind == DTYPE_REAL)
        init_real(fill, description);
    else
        init_integer(fill, description);
}

static void make_uniform(const struct fill *fill, uint64_t first, size_t count, void *out)
{
    uint32_t words[2 * PIECE];
    double numbers[PIECE];
    unsigned precision = fill->dtype->precision;
    if (precision > 32) {
        stream_words(fill->key, 2 * first, 2 * count, words);
        for (size_t i = 0; i < count; i++)
            numbers[i] = uniform_from_words(words[2 * i], words[2 * i + 1]);
    } else {
        stream_words(fill->key, first, count, words);
        for (size_t i = 0; i < count; i++)
            numbers[i] = uniform_from_word(words[i], precision);
    }
    for (size_t i = 0; i < count; i++) {
        double number = fill->low + numbers[i] * fill->range;
        numbers[i] = number < fill->below ? number : fill->below;
    }
    fill->dtype->narrow(numbers, count, out);
}

static void make_normal(const struct fill *fill, uint64_t first, size_t count, void *out)
{
    uint32_t words[2 * PIECE + 4];
    double numbers[PIECE + 2];
    size_t before = first % 2;  // of a pair
    size_t pairs = (before + count + 1) / 2;
    stream_words(fill->key, 2 * (first - before), 4 * pairs, words);
    normal_from_words(words, pairs, numbers);
    for (size_t i = 0; i < 2 * pairs; i++)
        numbers[i] = fill->low + numbers[i] * fill->range;
    fill->dtype->narrow(numbers + before, count, out);
}

// In two's complement, truncating an unsigned sum to the type gives the right number.
#define MAKE_INTEGERS(type, words_each, below)                  \
    do {                                                        \
        type *numbers = out;                                    \
        const uint32_t *word = words;                           \
        for (size_t i = 0; i < count; i++, word += words_each)  \
            numbers[i] = (type)((uint64_t)fill->least + below); \
    } while (0)

static void make_integers(const struct fill *fill, uint64_t first, size_t count, void *out)
{
    uint32_t words[2 * PIECE];
    unsigned size = fill->dtype->size, each = size > 2 ? 2 : 1;
    stream_words(fill->key, each * first, each * count, words);
    if (size == 1)
        MAKE_INTEGERS(uint8_t, 1, (word[0] * fill->count >> 32));
    else if (size == 2)
        MAKE_INTEGERS(uint16_t, 1, (word[0] * fill->count >> 32));
    else if (size == 4)
        MAKE_INTEGERS(uint32_t, 2, uniform_below(word[0], word[1], fill->count));
    else if (fill->count)
        MAKE_INTEGERS(uint64_t, 2, uniform_below(word[0], word[1], fill->count));
    else
        MAKE_INTEGERS(uint64_t, 2, ((uint64_t)word[0] << 32 | word[1]));
}

static void add_exceptions(const struct fill *fill, uint64_t first, size_t count, char *out)
{
    uint32_t words[PIECE];
    const struct dtype *dtype = fill->dtype;
    stream_words(fill->exception_key, first, count, words);
    for (size_t i = 0; i < count; i++) {
        if (words[i] >= fill->inf_limit)
            continue;
        double infinity = words[i] & 1 ? -INFINITY : INFINITY;
        double value = words[i] < fill->nan_limit ? (double)NAN : infinity;
        dtype->narrow((double[]){value, value}, dtype->parts, out + i * dtype->size);
    }
}

static void fill_piece(const struct fill *fill, uint64_t first, size_t count, void *out)
{
    unsigned parts = fill->dtype->parts;
    if (fill->dtype->kind == DTYPE_INTEGER)
        make_integers(fill, first, count, out);
    else if (fill->kind == TENSOR_NORMAL)
        make_normal(fill, first * parts, count * parts, out);
    else
        make_uniform(fill, first * parts, count * parts, out);
    if (fill->inf_limit)
        add_exceptions(fill, first, count, out);
}

// Gives the same numbers as make_uniform(), but directly.
static bool is_plain(const struct fill *fill)
{
    return fill->dtype->precision == 24 && fill->kind == TENSOR_UNIFORM && fill->low == 0 &&
           fill->range == 1 && !fill->inf_limit;
}

void fill_elements(const struct fill *fill, uint64_t first, size_t count, void *out)
{
    unsigned parts = fill->dtype->parts;
    if (is_plain(fill)) {
        stream_floats(fill->key, first * parts, count * parts, out);
        return;
    }
    size_t most = PIECE / parts;
    for (char *at = out; count > 0;) {
        size_t piece = count < most ? count : most;
        fill_piece(fill, first, piece, at);
        first += piece, count -= piece, at += piece * fill->dtype->size;
    }
}

// tensor_compare: compares two tensors piece by piece.
#include "tensor_compare.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "dtype.h"
#include "tensor.h"
#include "walk.h"

enum { PIECE = 1024 };  // elements

// The next elements of one tensor, as numbers.
struct side {
    const struct dtype *dtype;
    struct walk_packer packer;
    double packed[2 * PIECE];  // room for a piece of any type
    double numbers[2 * PIECE];
};

struct pair {
    struct side actual, expected;
    size_t count;    // of elements in this piece
    uint64_t index;  // of its first element
};

static void start(struct side *side, const DLTensor *tensor)
{
    side->dtype = dtype_of(tensor->dtype, false);
    walk_pack_start(&side->packer, tensor);
}

static size_t advance(struct side *side)
{
    size_t count = walk_pack(&side->packer, PIECE, side->packed);
    side->dtype->widen(side->packed, count * side->dtype->parts, side->numbers);
    return count;
}

static bool next(struct pair *pair)
{
    pair->index += pair->count;
    pair->count = advance(&pair->actual);
    advance(&pair->expected);
    return pair->count > 0;
}

// The state of a comparison, over all elements.
struct tally {
    struct bilanx_tolerance tolerance;
    struct bilanx_tensor_difference difference;
    double largest_actual, largest_expected;  // of finite numbers
    double product, actual_square, expected_square;
};

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static double smaller_of(double a, double b)
{
    return a < b ? a : b;
}

static bool is_nan(const double *numbers, unsigned parts)
{
    return isnan(numbers[0]) || (parts == 2 && isnan(numbers[1]));
}

static bool is_finite(const double *numbers, unsigned parts)
{
    return isfinite(numbers[0]) && (parts == 1 || isfinite(numbers[1]));
}

static bool is_equal(const double *a, const double *b, unsigned parts)
{
    return a[0] == b[0] && (parts == 1 || a[1] == b[1]);
}

static double length(double x, double y)
{
    double larger = larger_of(fabs(x), fabs(y)), smaller = smaller_of(fabs(x), fabs(y));
    if (larger == 0 || isinf(larger))
        return larger;
    double ratio = smaller / larger;
    return larger * __builtin_sqrt(1 + ratio * ratio);
}

static double size_of(const double *numbers, unsigned parts)
{
    return parts == 1 ? fabs(numbers[0]) : length(numbers[0], numbers[1]);
}

// The distance of two integers of 64 bits, which doubles may not tell apart.
static double distance_of_integers(int64_t a, int64_t b)
{
    return (double)(a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a);
}

static double distance(const struct pair *pair, size_t i)
{
    unsigned parts = pair->actual.dtype->parts;
    const double *a = pair->actual.numbers + i * parts, *b = pair->expected.numbers + i * parts;
    bool are_integers = pair->actual.dtype->type.code == kDLInt && pair->actual.dtype->size == 8 &&
                        pair->expected.dtype == pair->actual.dtype;
    if (are_integers)
        return distance_of_integers(((const walk_64 *)(const void *)pair->actual.packed)[i],
                                    ((const walk_64 *)(const void *)pair->expected.packed)[i]);
    if (is_equal(a, b, parts))  // infinities, too
        return 0;
    if (is_nan(a, parts) || is_nan(b, parts) || !is_finite(a, parts) || !is_finite(b, parts))
        return INFINITY;
    return parts == 1 ? fabs(a[0] - b[0]) : length(a[0] - b[0], a[1] - b[1]);
}

static void judge(struct tally *tally, const struct pair *pair, size_t i)
{
    struct bilanx_tensor_difference *difference = &tally->difference;
    unsigned parts = pair->actual.dtype->parts;
    const double *a = pair->actual.numbers + i * parts, *b = pair->expected.numbers + i * parts;
    if (tally->tolerance.equal_nan && is_nan(a, parts) && is_nan(b, parts))
        return;
    double absolute = distance(pair, i), size = size_of(b, parts);
    double relative = absolute == 0 ? 0 : isinf(absolute) ? INFINITY : absolute / size;
    if (!(absolute <= tally->tolerance.absolute + tally->tolerance.relative * size) ||
        isinf(absolute))
        difference->unequal++;
    if (absolute > difference->max_absolute) {
        difference->max_absolute = absolute;
        difference->worst = pair->index + i;
    }
    difference->max_relative = larger_of(difference->max_relative, relative);
}

static void judge_piece(struct tally *tally, const struct pair *pair)
{
    unsigned parts = pair->actual.dtype->parts;
    for (size_t i = 0; i < pair->count; i++)
        judge(tally, pair, i);
    for (size_t i = 0; i < pair->count * parts; i++) {
        double a = fabs(pair->actual.numbers[i]), b = fabs(pair->expected.numbers[i]);
        if (isfinite(a) && a > tally->largest_actual)
            tally->largest_actual = a;
        if (isfinite(b) && b > tally->largest_expected)
            tally->largest_expected = b;
    }
}

// Numbers are scaled, so that no square overflows.
static void multiply_piece(struct tally *tally, const struct pair *pair)
{
    double product = 0, actual_square = 0, expected_square = 0;
    unsigned parts = pair->actual.dtype->parts;
    for (size_t i = 0; i < pair->count * parts; i++) {
        double a = pair->actual.numbers[i] / tally->largest_actual;
        double b = pair->expected.numbers[i] / tally->largest_expected;
        if (!isfinite(a) || !isfinite(b))
            continue;
        product += a * b;
        actual_square += a * a;
        expected_square += b * b;
    }
    tally->product += product;
    tally->actual_square += actual_square;
    tally->expected_square += expected_square;
}

static double cosine(const struct tally *tally)
{
    double squares = tally->actual_square * tally->expected_square;
    if (squares == 0)
        return tally->largest_actual == tally->largest_expected ? 1 : 0;
    return larger_of(-1, smaller_of(1, tally->product / __builtin_sqrt(squares)));
}

static void for_each_piece(const DLTensor *actual, const DLTensor *expected, struct tally *tally,
                           void (*visit)(struct tally *tally, const struct pair *pair))
{
    struct pair *pair = mem_new(struct pair);
    start(&pair->actual, actual);
    start(&pair->expected, expected);
    while (next(pair))
        visit(tally, pair);
    free(pair);
}

static void add_shape(struct text *out, const DLTensor *tensor)
{
    for (int d = 0; d < tensor->ndim; d++)
        text_format(out, "%s%" PRId64, d ? "x" : "", tensor->shape[d]);
    if (tensor->ndim == 0)
        text_add(out, "scalar");
}

static struct bilanx_error check_shapes(const DLTensor *actual, const DLTensor *expected)
{
    bool is_same = actual->ndim == expected->ndim;
    for (int d = 0; is_same && d < actual->ndim; d++)
        is_same = actual->shape[d] == expected->shape[d];
    if (is_same)
        return BILANX_SUCCESS;
    AUTO(text) struct text first = {0};
    AUTO(text) struct text second = {0};
    add_shape(&first, actual);
    add_shape(&second, expected);
    return bilanx_error_make(BILANX_E_USAGE, "cannot compare tensors of shapes %s and %s",
                             text_get(&first), text_get(&second));
}

static struct bilanx_error check(const DLTensor *actual, const DLTensor *expected)
{
    BILANX_TRY(tensor_check_foreign(actual));
    BILANX_TRY(tensor_check_foreign(expected));
    BILANX_TRY(check_shapes(actual, expected));
    const struct dtype *first = dtype_of(actual->dtype, false),
                       *second = dtype_of(expected->dtype, false);
    if (first->parts != second->parts)
        return bilanx_error_make(BILANX_E_USAGE, "cannot compare %s with %s", first->name,
                                 second->name);
    return BILANX_SUCCESS;
}

// The defaults are those of the coarser type.
static struct bilanx_tolerance settle(const struct bilanx_tolerance *asked, const DLTensor *actual,
                                      const DLTensor *expected)
{
    struct bilanx_tolerance tolerance = asked ? *asked : (struct bilanx_tolerance){0};
    if (tolerance.exact) {
        tolerance.relative = tolerance.absolute = 0;
    } else if (tolerance.relative == 0 && tolerance.absolute == 0) {
        const struct dtype *first = dtype_of(actual->dtype, false),
                           *second = dtype_of(expected->dtype, false);
        tolerance.relative = larger_of(first->relative, second->relative);
        tolerance.absolute = larger_of(first->absolute, second->absolute);
    }
    return tolerance;
}

struct bilanx_error tensor_compare(const DLTensor *actual, const DLTensor *expected,
                                   const struct bilanx_tolerance *tolerance,
                                   struct bilanx_tensor_difference *out)
{
    BILANX_TRY(check(actual, expected));
    struct tally tally = {
        .tolerance = settle(tolerance, actual, expected),
        .difference.elements = (uint64_t)bilanx_elements(actual),
    };
    for_each_piece(actual, expected, &tally, judge_piece);
    if (tally.largest_actual > 0 && tally.largest_expected > 0)
        for_each_piece(actual, expected, &tally, multiply_piece);
    tally.difference.is_close = tally.difference.unequal == 0;
    tally.difference.cosine = cosine(&tally);
    *out = tally.difference;
    return BILANX_SUCCESS;
}

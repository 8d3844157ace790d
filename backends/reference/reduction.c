// reduction: operators that make one element from a slice, which is all elements along some
// dimensions.
//
// A slice is copied to an array of doubles or integers first, so that each operator is a function
// over an array.
#include <math.h>
#include <string.h>

#include "backends/common/conventions.h"
#include "norm.h"
#include "tables.h"

struct options {
    double correction;  // of a variance: the divisor is the length of a slice less this
    double order;       // of a norm
};

struct reduction {
    enum reduced_type types[2];  // of the results
    int results;
    void (*real)(const double *x, size_t n, const struct options *options, double *out);
    void (*integer)(const int64_t *x, size_t n, int64_t *out);  // NULL: reals only
};

#define REAL_LOOP(name) \
    static void name(const double *x, size_t n, const struct options *options, double *out)
#define INTEGER_LOOP(name) static void name(const int64_t *x, size_t n, int64_t *out)

// Eight sums, so that one addition need not wait for the one before.
REAL_LOOP(sum)
{
    enum { LANES = 8 };
    double sums[LANES] = {0};
    (void)options;
    for (; n >= LANES; n -= LANES, x += LANES)
        for (int i = 0; i < LANES; i++)
            sums[i] += x[i];
    for (size_t i = 0; i < n; i++)
        sums[i] += x[i];
    *out = 0;
    for (int i = 0; i < LANES; i++)
        *out += sums[i];
}

INTEGER_LOOP(integer_sum)
{
    uint64_t total = 0;
    while (n-- > 0)
        total += (uint64_t)*x++;
    *out = (int64_t)total;
}

REAL_LOOP(mean)
{
    sum(x, n, options, out);
    *out /= (double)n;
}

REAL_LOOP(product)
{
    (void)options;
    for (*out = 1; n > 0; n--)
        *out *= *x++;
}

INTEGER_LOOP(integer_product)
{
    uint64_t total = 1;
    while (n-- > 0)
        total *= (uint64_t)*x++;
    *out = (int64_t)total;
}

// The first of the best; a NaN is better than any number.
#define EXTREME(name, c_type, is_better)                             \
    static size_t name(const c_type *x, size_t n)                    \
    {                                                                \
        size_t best = 0;                                             \
        for (size_t i = 1; i < n; i++)                               \
            if (x[best] == x[best] && (x[i] != x[i] || (is_better))) \
                best = i;                                            \
        return best;                                                 \
    }
EXTREME(largest, double, x[i] > x[best])
EXTREME(smallest, double, x[i] < x[best])
EXTREME(integer_largest, int64_t, x[i] > x[best])
EXTREME(integer_smallest, int64_t, x[i] < x[best])

#define VALUE_AND_PLACE(name, find)             \
    REAL_LOOP(name)                             \
    {                                           \
        (void)options;                          \
        size_t best = find(x, n);               \
        out[0] = x[best];                       \
        out[1] = (double)best;                  \
    }                                           \
    REAL_LOOP(name##_place)                     \
    {                                           \
        (void)options;                          \
        out[0] = (double)find(x, n);            \
    }                                           \
    INTEGER_LOOP(integer_##name)                \
    {                                           \
        size_t best = integer_##find(x, n);     \
        out[0] = x[best];                       \
        out[1] = (int64_t)best;                 \
    }                                           \
    INTEGER_LOOP(integer_##name##_place)        \
    {                                           \
        out[0] = (int64_t)integer_##find(x, n); \
    }
VALUE_AND_PLACE(maximum, largest)
VALUE_AND_PLACE(minimum, smallest)

// The variance, then the mean.
REAL_LOOP(variance)
{
    norm_statistics(x, (int64_t)n, &out[1], &out[0]);
    out[0] *= (double)n / fmax((double)n - options->correction, 0);
}

REAL_LOOP(deviation)
{
    variance(x, n, options, out);
    out[0] = sqrt(out[0]);
}

REAL_LOOP(norm)
{
    double order = options->order, total = 0, most = 0, least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(x[i]);
        most = isnan(size) || size > most ? size : most;
        least = isnan(size) || size < least ? size : least;
        total += order == 0 ? size != 0 : order == 2 ? size * size : pow(size, order);
    }
    *out = n == 0         ? 0  // whatever the order, as in ATen
           : isinf(order) ? (order > 0 ? most : least)
           : order == 0   ? total
           : order == 2   ? sqrt(total)
                          : pow(total, 1 / order);
}

REAL_LOOP(log_of_sum)
{
    double total = 0, most = n ? x[largest(x, n)] : 0;
    (void)options;
    double shift = isinf(most) ? 0 : most;
    for (size_t i = 0; i < n; i++)
        total += exp(x[i] - shift);
    *out = shift + log(total);
}

REAL_LOOP(any)
{
    (void)options;
    for (*out = 0; n > 0; n--)
        *out = *out != 0 || *x++ != 0;
}

REAL_LOOP(all)
{
    (void)options;
    for (*out = 1; n > 0; n--)
        *out = *out != 0 && *x++ != 0;
}

static struct view add_reduced(struct frame *frame, const struct view *x, uint32_t set,
                               const struct dtype *type)
{
    bool keeps = argument_integer(frame, "keepdim", 0);
    int64_t shape[BILANX_MAX_DIMENSIONS];
    int ndim = 0;
    for (int d = 0; d < x->ndim; d++)
        if (!(set >> d & 1))
            shape[ndim++] = x->shape[d];
        else if (keeps)
            shape[ndim++] = 1;
    return add_result(frame, type, ndim, shape, NULL);
}

static void reduce(struct frame *frame, const struct reduction *how, struct slices *slices,
                   const struct view *results, bool as_integers)
{
    struct options options = {
        .correction = argument_real(frame, "correction", argument_real(frame, "unbiased", 1)),
        .order = argument_real(frame, "p", argument_real(frame, "ord", 2))};
    double *reals = scratch(frame, (size_t)slices->length * sizeof *reals), real[2];
    int64_t *integers = (int64_t *)(void *)reals, integer[2];
    for (int64_t i = 0; i < slices->count; i++) {
        if (as_integers) {
            slices_load_integers(slices, i, integers);
            how->integer(integers, (size_t)slices->length, integer);
        } else {
            slices_load_reals(slices, i, reals);
            how->real(reals, (size_t)slices->length, &options, real);
        }
        for (int r = 0; r < how->results; r++) {
            char *at = results[r].data + i * (int64_t)results[r].type->size;
            if (as_integers)
                store_integers(results[r].type, at, 1, 1, &integer[r]);
            else
                store_reals(results[r].type, at, 1, 1, &real[r]);
        }
    }
}

static const char *run(struct frame *frame)
{
    const struct reduction *how = frame->routine->how;
    struct view x, results[2];
    argument_view(frame, "self", &x);
    uint32_t set = reduced_dimensions(frame, &x);
    struct slices slices;
    slices_init(&slices, &x, set);
    for (int r = 0; r < how->results; r++)
        results[r] = add_reduced(frame, &x, set, reduced_type(frame, how->types[r], x.type));
    bool as_integers = x.type->kind == DTYPE_INTEGER && how->integer &&
                       (how->types[0] == TYPE_INDEX || results[0].type->kind == DTYPE_INTEGER);
    reduce(frame, how, &slices, results, as_integers);
    return NULL;
}

static const char *check(struct frame *frame)
{
    const struct reduction *how = frame->routine->how;
    struct view x;
    if (!argument_view(frame, "self", &x))
        return "needs a tensor";
    if (has_argument(frame, "dtype") && !argument_type(frame, "dtype", NULL))
        return "an unknown type";
    if (!has_dimension(frame, "dim", &x))
        return "no such dimension";
    const struct dtype *type = reduced_type(frame, how->types[0], x.type);
    if (how->types[0] == TYPE_REAL && type->kind != DTYPE_REAL)
        return "integers";
    return check_elements(frame, &x, how->types[0] == TYPE_SAME || how->types[0] == TYPE_INDEX);
}

#define ROW(base_, overloads_, schema_, ...)                                                   \
    {                                                                                          \
        .base = base_, .overloads = overloads_, .schema = schema_, .check = check, .run = run, \
        .how = &(const struct reduction)                                                       \
        {                                                                                      \
            __VA_ARGS__                                                                        \
        }                                                                                      \
    }

const struct routine reduction_routines[] = {
    ROW("sum", "default", "self dtype", {TYPE_SUMMED}, 1, sum, integer_sum),
    ROW("sum", "dim_IntList SymInt", "self dim keepdim dtype", {TYPE_SUMMED}, 1, sum, integer_sum),
    ROW("mean", "default", "self dtype", {TYPE_REAL}, 1, mean),
    ROW("mean", "dim", "self dim keepdim dtype", {TYPE_REAL}, 1, mean),
    ROW("prod", "default", "self dtype", {TYPE_SUMMED}, 1, product, integer_product),
    ROW("prod", "dim_int", "self dim keepdim dtype", {TYPE_SUMMED}, 1, product, integer_product),
    ROW("amax", "default", "self dim keepdim", {TYPE_SAME}, 1, maximum, integer_maximum),
    ROW("amin", "default", "self dim keepdim", {TYPE_SAME}, 1, minimum, integer_minimum),
    ROW("max", "default", "self", {TYPE_SAME}, 1, maximum, integer_maximum),
    ROW("min", "default", "self", {TYPE_SAME}, 1, minimum, integer_minimum),
    ROW("max", "dim", "self dim keepdim", {TYPE_SAME, TYPE_INDEX}, 2, maximum, integer_maximum),
    ROW("min", "dim", "self dim keepdim", {TYPE_SAME, TYPE_INDEX}, 2, minimum, integer_minimum),
    ROW("argmax", "default", "self dim keepdim", {TYPE_INDEX}, 1, maximum_place,
        integer_maximum_place),
    ROW("argmin", "default", "self dim keepdim", {TYPE_INDEX}, 1, minimum_place,
        integer_minimum_place),
    ROW("any", "default", "self", {TYPE_TRUTH}, 1, any),
    ROW("any", "dim", "self dim keepdim", {TYPE_TRUTH}, 1, any),
    ROW("all", "default", "self", {TYPE_TRUTH}, 1, all),
    ROW("all", "dim", "self dim keepdim", {TYPE_TRUTH}, 1, all),
    ROW("var", "default", "self unbiased", {TYPE_REAL}, 1, variance),
    ROW("var", "dim", "self dim unbiased keepdim", {TYPE_REAL}, 1, variance),
    ROW("var", "correction", "self dim correction keepdim", {TYPE_REAL}, 1, variance),
    ROW("std", "default", "self unbiased", {TYPE_REAL}, 1, deviation),
    ROW("std", "dim", "self dim unbiased keepdim", {TYPE_REAL}, 1, deviation),
    ROW("std", "correction", "self dim correction keepdim", {TYPE_REAL}, 1, deviation),
    ROW("var_mean", "correction", "self dim correction keepdim", {TYPE_REAL, TYPE_REAL}, 2,
        variance),
    ROW("std_mean", "correction", "self dim correction keepdim", {TYPE_REAL, TYPE_REAL}, 2,
        deviation),
    ROW("norm", "Scalar", "self p", {TYPE_REAL}, 1, norm),
    ROW("norm", "ScalarOpt_dim", "self p dim keepdim", {TYPE_REAL}, 1, norm),
    ROW("linalg_vector_norm", "default", "self ord dim keepdim dtype", {TYPE_REAL}, 1, norm),
    ROW("logsumexp", "default", "self dim keepdim", {TYPE_REAL}, 1, log_of_sum),
    {0},
};

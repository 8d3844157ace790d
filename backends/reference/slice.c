// slice: operators that make a slice from a slice: softmax, log-softmax, their backward, running
// sums.
#include <math.h>

#include "tables.h"

struct slice_map {
    const char *first, *second;  // names of the operands; the second may be NULL
    void (*real)(size_t n, double *out, const double *a, const double *b);
    void (*integer)(size_t n, int64_t *out, const int64_t *a);  // NULL: reals only
};

static double largest(size_t n, const double *a)
{
    double most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = isnan(a[i]) || a[i] > most ? a[i] : most;
    return most;
}

static void softmax(size_t n, double *out, const double *a, const double *b)
{
    double total = 0, most = largest(n, a);
    (void)b;
    for (size_t i = 0; i < n; i++)
        total += out[i] = exp(a[i] - most);
    for (size_t i = 0; i < n; i++)
        out[i] /= total;
}

static void log_softmax(size_t n, double *out, const double *a, const double *b)
{
    double total = 0, most = largest(n, a);
    (void)b;
    for (size_t i = 0; i < n; i++)
        total += exp(a[i] - most);
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - most - log(total);
}

static void softmax_backward(size_t n, double *out, const double *gradient, const double *result)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += gradient[i] * result[i];
    for (size_t i = 0; i < n; i++)
        out[i] = result[i] * (gradient[i] - total);
}

static void log_softmax_backward(size_t n, double *out, const double *gradient,
                                 const double *result)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += gradient[i];
    for (size_t i = 0; i < n; i++)
        out[i] = gradient[i] - exp(result[i]) * total;
}

static void running_sum(size_t n, double *out, const double *a, const double *b)
{
    double total = 0;
    (void)b;
    for (size_t i = 0; i < n; i++)
        out[i] = total += a[i];
}

static void integer_running_sum(size_t n, int64_t *out, const int64_t *a)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t)(total += (uint64_t)a[i]);
}

static void running_product(size_t n, double *out, const double *a, const double *b)
{
    double total = 1;
    (void)b;
    for (size_t i = 0; i < n; i++)
        out[i] = total *= a[i];
}

static void integer_running_product(size_t n, int64_t *out, const int64_t *a)
{
    uint64_t total = 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t)(total *= (uint64_t)a[i]);
}

static const struct dtype *result_type(const struct frame *frame, const struct slice_map *how,
                                       const struct dtype *own)
{
    if (argument_integer(frame, "half_to_float", 0))
        return dtype_find("f32");
    if (how->integer && own->kind == DTYPE_INTEGER)
        own = dtype_find("i64");
    return argument_type(frame, "dtype", argument_type(frame, "input_dtype", own));
}

static void map(struct frame *frame, const struct slice_map *how, struct slices *parts,
                bool as_integers)
{
    size_t length = (size_t)parts[0].length;
    double *a = scratch(frame, length * sizeof *a), *b = scratch(frame, length * sizeof *b);
    double *out = scratch(frame, length * sizeof *out);
    for (int64_t i = 0; i < parts[0].count; i++) {
        if (as_integers) {
            slices_load_integers(&parts[1], i, (int64_t *)(void *)a);
            how->integer(length, (int64_t *)(void *)out, (int64_t *)(void *)a);
            slices_store_integers(&parts[0], i, (int64_t *)(void *)out);
            continue;
        }
        slices_load_reals(&parts[1], i, a);
        if (how->second)
            slices_load_reals(&parts[2], i, b);
        how->real(length, out, a, b);
        slices_store_reals(&parts[0], i, out);
    }
}

static const char *run(struct frame *frame)
{
    const struct slice_map *how = frame->routine->how;
    struct view a, b;
    argument_view(frame, how->first, &a);
    int dimension = view_dimension(&a, argument_integer(frame, "dim", 0));
    const struct dtype *type = result_type(frame, how, a.type);
    struct view out = add_result_like(frame, type, &a);
    struct slices parts[3];
    uint32_t set = a.ndim == 0 ? 0 : 1u << dimension;
    slices_init(&parts[0], &out, set);
    slices_init(&parts[1], &a, set);
    if (how->second) {
        argument_view(frame, how->second, &b);
        slices_init(&parts[2], &b, set);
    }
    map(frame, how, parts, how->integer && type->kind == DTYPE_INTEGER);
    return NULL;
}

static const char *check(struct frame *frame)
{
    const struct slice_map *how = frame->routine->how;
    struct view a, b;
    if (!argument_view(frame, how->first, &a) ||
        (how->second && !argument_view(frame, how->second, &b)))
        return "needs a tensor";
    const struct dtype *type = result_type(frame, how, a.type);
    if (!type)
        return "an unknown type";
    return type->kind == DTYPE_INTEGER && !how->integer ? "integers" : NULL;
}

#define ROW(base_, schema_, ...)                                                              \
    {                                                                                         \
        .base = base_, .overloads = "default", .schema = schema_, .check = check, .run = run, \
        .how = &(const struct slice_map)                                                      \
        {                                                                                     \
            __VA_ARGS__                                                                       \
        }                                                                                     \
    }

const struct routine slice_routines[] = {
    ROW("_softmax", "self dim half_to_float", "self", NULL, softmax),
    ROW("_log_softmax", "self dim half_to_float", "self", NULL, log_softmax),
    ROW("_softmax_backward_data", "grad_output output dim input_dtype", "grad_output", "output",
        softmax_backward),
    ROW("_log_softmax_backward_data", "grad_output output dim input_dtype", "grad_output", "output",
        log_softmax_backward),
    ROW("cumsum", "self dim dtype", "self", NULL, running_sum, integer_running_sum),
    ROW("cumprod", "self dim dtype", "self", NULL, running_product, integer_running_product),
    {0},
};

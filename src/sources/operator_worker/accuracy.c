// accuracy: checks whether a backend computes the same results as the baseline.
//
// The error of a sum of many terms that cancel is proportional to the terms, not to the sum. So for
// operators that sum, the absolute tolerance grows with the magnitude of the whole tensor.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor_compare.h"
#include "kept_results.h"

// Operators that sum many products or elements. These words are searched in the name between
// "aten." and the overload.
static const char *const summing[] = {
    "mm",        "matmul",    "bmm",       "conv",     "sum",           "mean",
    "var",       "std",       "norm",      "softmax",  "pool",          "loss",
    "dot",       "prod",      "backward",  "cumsum",   "einsum",        "scatter_add",
    "index_add", "index_put", "logsumexp", "upsample", "grid_sampler",  "attention",
    "linear",    "lstm",      "gru",       "fft",      "embedding_bag", "sigmoid_focal",
    "dist",      "addr",      "addmv",     "addbmm",   "cross_entropy", "mv",
    "renorm",
};

static bool adds_up(const char *name)
{
    const char *start = strchr(name, '.');
    start = start ? start + 1 : name;
    size_t size = strcspn(start, ".");
    for (size_t i = 0; i < sizeof summing / sizeof *summing; i++)
        if (memmem(start, size, summing[i], strlen(summing[i])))
            return true;
    return false;
}

double accuracy_tolerance(const char *operator_name, DLDataType type)
{
    if (type.code == kDLInt || type.code == kDLUInt)
        return 0;
    unsigned bits = type.code == kDLComplex ? type.bits / 2 : type.bits;
    if (bits < 32 || type.code == kDLBfloat)
        return 1e-2;
    if (bits == 64)
        return 1e-8;
    return adds_up(operator_name) ? 1e-4 : 1e-5;
}

static int64_t parts_of(const struct kept_tensor *kept, const struct dtype *dtype)
{
    int64_t count = dtype->parts;
    for (int d = 0; d < kept->tensor.ndim; d++)
        count *= kept->tensor.shape[d];
    return count;
}

// The root of the mean square of the finite elements.
static double magnitude(const struct kept_tensor *kept)
{
    const struct dtype *dtype = dtype_of(kept->tensor.dtype, kept->is_bool);
    if (!dtype || dtype->kind != DTYPE_REAL)
        return 1;
    int64_t count = parts_of(kept, dtype);
    double squares = 0, values[256];
    int64_t finite = 0;
    for (int64_t i = 0; i < count; i += 256) {
        size_t n = count - i < 256 ? (size_t)(count - i) : 256;
        dtype->widen((const char *)kept->tensor.data + (size_t)i * (dtype->size / dtype->parts), n,
                     values);
        for (size_t k = 0; k < n; k++)
            if (isfinite(values[k])) {
                squares += values[k] * values[k];
                finite++;
            }
    }
    return finite ? sqrt(squares / (double)finite) : 0;
}

// The factor of the absolute tolerance.
static double scale_of(const char *operator_name, const struct kept_tensor *expected)
{
    double size = adds_up(operator_name) ? magnitude(expected) : 1;
    return size > 1 ? size : 1;
}

// On extreme data, one result may be much too large, so the smallest counts.
static double far_scale(const char *operator_name, const struct kept_tensor *actual,
                        const struct kept_tensor *expected, const struct kept_tensor *exact)
{
    double size = fmin(magnitude(actual), magnitude(expected));
    size = exact ? fmin(size, magnitude(exact)) : size;
    return adds_up(operator_name) ? size : fmin(size, 1);
}

static void add_shape(const DLTensor *tensor, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "[");
    for (int d = 0; d < tensor->ndim && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", d ? ", " : "",
                                 (long long)tensor->shape[d]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

static bool same_shape(const DLTensor *a, const DLTensor *b)
{
    return a->ndim == b->ndim &&
           (a->ndim == 0 || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0);
}

static void disagree(struct accuracy *out, double error, const char *text)
{
    out->agrees = false;
    out->error = error > out->error ? error : out->error;
    if (!out->text[0])
        snprintf(out->text, sizeof out->text, "%s", text);
}

static bool same_type(DLDataType a, DLDataType b)
{
    return a.code == b.code && a.bits == b.bits;
}

static struct bilanx_error check_tensor(const char *operator_name, const struct kept_tensor *actual,
                                        const struct kept_tensor *expected, double scale,
                                        struct accuracy *out)
{
    char text[200], is[80], should[80];
    if (!same_shape(&actual->tensor, &expected->tensor)) {
        add_shape(&actual->tensor, is, sizeof is);
        add_shape(&expected->tensor, should, sizeof should);
        snprintf(text, sizeof text, "its shape is %s, not %s", is, should);
        disagree(out, INFINITY, text);
        return BILANX_SUCCESS;
    }
    if (!same_type(actual->tensor.dtype, expected->tensor.dtype)) {
        disagree(out, INFINITY, "its type is not that of the baseline");
        return BILANX_SUCCESS;
    }
    double tolerance = accuracy_tolerance(operator_name, expected->tensor.dtype);
    struct bilanx_tolerance allowed = {.relative = tolerance,
                                       .absolute = tolerance * scale + FLT_MIN,
                                       .exact = tolerance == 0,
                                       .equal_nan = true};
    struct bilanx_tensor_difference difference;
    BILANX_TRY(tensor_compare(&actual->tensor, &expected->tensor, &allowed, &difference));
    double error = scale > 0 ? difference.max_absolute / scale : difference.max_absolute;
    if (!difference.is_close) {
        snprintf(text, sizeof text, "%llu of %llu elements differ, by up to %.2g",
                 (unsigned long long)difference.unequal, (unsigned long long)difference.elements,
                 difference.max_absolute);
        disagree(out, error, text);
    } else if (error > out->error) {
        out->error = error;
    }
    return BILANX_SUCCESS;
}

static bool same_count(const struct kept_results *actual, const struct kept_results *expected,
                       struct accuracy *out)
{
    char text[100];
    if (actual->count == expected->count)
        return true;
    snprintf(text, sizeof text, "it returned %zu tensors, not %zu", actual->count, expected->count);
    disagree(out, INFINITY, text);
    return false;
}

struct bilanx_error accuracy_check(const char *operator_name, const struct kept_results *actual,
                                   const struct kept_results *expected, struct accuracy *out)
{
    *out = (struct accuracy){.agrees = true};
    if (!same_count(actual, expected, out))
        return BILANX_SUCCESS;
    for (size_t i = 0; i < expected->count; i++)
        BILANX_TRY(check_tensor(operator_name, &actual->tensors[i], &expected->tensors[i],
                                scale_of(operator_name, &expected->tensors[i]), out));
    return BILANX_SUCCESS;
}

static bool is_close(double a, double b, double tolerance, double scale)
{
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    return fabs(a - b) <= tolerance * (fabs(b) + scale) + FLT_MIN;  // not if one is infinite or NaN
}

// The expected elements, with the actual element wherever the baseline itself is not close to the
// exact one. The caller frees the memory.
static void *decided_by(const char *operator_name, const struct kept_tensor *actual,
                        const struct kept_tensor *expected, const struct kept_tensor *exact)
{
    enum { PIECE = 256 };
    const struct dtype *own = dtype_of(expected->tensor.dtype, expected->is_bool);
    const struct dtype *wide = dtype_of(exact->tensor.dtype, exact->is_bool);
    size_t size = own->size / own->parts, wide_size = wide->size / wide->parts;
    size_t count = (size_t)parts_of(expected, own);
    double tolerance = accuracy_tolerance(operator_name, expected->tensor.dtype);
    double scale = far_scale(operator_name, actual, expected, exact);
    char *out = mem_array(char, count *size + 1);
    for (size_t i = 0; i < count; i += PIECE) {
        double ours[PIECE], theirs[PIECE], right[PIECE];
        size_t n = count - i < PIECE ? count - i : PIECE;
        own->widen((const char *)actual->tensor.data + i * size, n, ours);
        own->widen((const char *)expected->tensor.data + i * size, n, theirs);
        wide->widen((const char *)exact->tensor.data + i * wide_size, n, right);
        own->narrow(right, n, out + i * size);  // rounded, which may make it infinite
        own->widen(out + i * size, n, right);
        for (size_t k = 0; k < n; k++)
            theirs[k] = is_close(theirs[k], right[k], tolerance, scale) ? theirs[k] : ours[k];
        own->narrow(theirs, n, out + i * size);
    }
    return out;
}

static bool is_real(const struct kept_tensor *kept)
{
    const struct dtype *dtype = dtype_of(kept->tensor.dtype, kept->is_bool);
    return dtype && dtype->kind == DTYPE_REAL;
}

struct bilanx_error accuracy_check_far(const char *operator_name, const struct kept_results *actual,
                                       const struct kept_results *expected,
                                       const struct kept_results *exact, struct accuracy *out)
{
    *out = (struct accuracy){.agrees = true};
    if (!same_count(actual, expected, out))
        return BILANX_SUCCESS;
    for (size_t i = 0; i < expected->count; i++) {
        const struct kept_tensor *ours = &actual->tensors[i];
        struct kept_tensor wanted = expected->tensors[i];
        AUTO(memory) void *decided = NULL;
        bool decides = exact->count == expected->count && is_real(&wanted) &&
                       is_real(&exact->tensors[i]) &&
                       same_shape(&exact->tensors[i].tensor, &wanted.tensor) &&
                       same_shape(&ours->tensor, &wanted.tensor) &&
                       same_type(ours->tensor.dtype, wanted.tensor.dtype);
        if (decides)
            wanted.tensor.data = decided =
                decided_by(operator_name, ours, &wanted, &exact->tensors[i]);
        double scale = far_scale(operator_name, ours, &wanted, NULL);
        BILANX_TRY(check_tensor(operator_name, ours, &wanted, scale, out));
    }
    return BILANX_SUCCESS;
}

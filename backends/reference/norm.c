// norm: layer, batch and group norm, forward and backward.
//
// All three do the same to different slices: the elements that are normalised together. Weights are
// per place in a slice for a layer norm, per channel otherwise.
#include "norm.h"

#include <math.h>
#include <string.h>

#include "tables.h"

void norm_statistics(const double *x, int64_t n, double *mean, double *variance)
{
    double total = 0, rest = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        total += x[i];
    *mean = total / (double)n;
    for (int64_t i = 0; i < n; i++)
        rest += x[i] - *mean;
    if (isfinite(rest))  // the rounding error of the total
        *mean += rest / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *variance = squares / (double)n;
}

double *norm_vector(struct frame *frame, const char *name, int64_t length, double otherwise)
{
    double *vector = scratch(frame, (size_t)length * sizeof *vector);
    struct view view;
    if (argument_view(frame, name, &view)) {
        struct slices slices;
        slices_init(&slices, &view, (1u << view.ndim) - 1);
        slices_load_reals(&slices, 0, vector);
        return vector;
    }
    for (int64_t i = 0; i < length; i++)
        vector[i] = otherwise;
    return vector;
}

const struct dtype *norm_statistics_type(const struct frame *frame, const struct dtype *input)
{
    struct view weight;
    return argument_view(frame, "weight", &weight) && weight.type != input ? dtype_find("f32")
                                                                           : input;
}

void norm_add_vector(struct frame *frame, int output, const struct dtype *type, int ndim,
                     const int64_t *shape, const double *from)
{
    if (!argument_item(frame, "output_mask", (size_t)output)) {
        add_no_result(frame);
        return;
    }
    struct view result = add_result(frame, type, ndim, shape, NULL);
    store_reals(type, result.data, 1, (size_t)view_count(&result), from);
}

void norm_backward_slice(struct norm_slice *slice)
{
    double sum = 0, projection = 0, count = (double)slice->length;
    for (int64_t i = 0; i < slice->length; i++) {
        double weighted = slice->gradient[i] * slice->weight[i];
        sum += weighted;
        projection += weighted * (slice->x[i] - slice->mean) * slice->scale;
    }
    for (int64_t i = 0; i < slice->length; i++) {
        double weighted = slice->gradient[i] * slice->weight[i];
        double normal = (slice->x[i] - slice->mean) * slice->scale;
        slice->out[i] = slice->scale * (weighted - sum / count - normal * projection / count);
    }
}

struct norm_sizes {
    int64_t weights, slices;
};

// Returns false if the normalised shape does not match the input.
static bool take_sizes(const struct frame *frame, const struct view *input, struct norm_sizes *out)
{
    int64_t shape[BILANX_MAX_DIMENSIONS], groups = argument_integer(frame, "group", 1);
    int count = argument_integers(frame, "normalized_shape", shape), first = input->ndim - count;
    if (schema_position(frame->routine->schema, "normalized_shape") < 0) {
        bool fits = input->ndim >= 2 && groups > 0 && input->shape[1] % groups == 0;
        *out = (struct norm_sizes){fits ? input->shape[1] : 0, fits ? input->shape[0] * groups : 0};
        return fits;
    }
    *out = (struct norm_sizes){1, 1};
    for (int d = 0; d < input->ndim; d++)
        *(d < first ? &out->slices : &out->weights) *= input->shape[d];
    return count > 0 && first >= 0 &&
           memcmp(shape, &input->shape[first], (size_t)count * sizeof *shape) == 0;
}

static bool has_length(const struct frame *frame, const char *name, int64_t length)
{
    struct view view;
    return !argument_view(frame, name, &view) || view_count(&view) == length;
}

static bool has_shape(const struct frame *frame, const char *name, const struct view *like)
{
    struct view view;
    return !argument_view(frame, name, &view) ||
           (view.ndim == like->ndim &&
            memcmp(view.shape, like->shape, (size_t)like->ndim * sizeof *like->shape) == 0);
}

const char *norm_check(struct frame *frame)
{
    struct view input;
    struct norm_sizes sizes;
    if (!argument_view(frame, "input", &input))
        return "needs a tensor";
    if (input.type->kind != DTYPE_REAL)
        return "integers";
    bool saved = argument_integer(frame, "train", 0);  // otherwise they are ignored
    bool fits = take_sizes(frame, &input, &sizes) && has_shape(frame, "grad_out", &input) &&
                has_length(frame, "weight", sizes.weights) &&
                has_length(frame, "bias", sizes.weights) &&
                has_length(frame, "running_mean", sizes.weights) &&
                has_length(frame, "running_var", sizes.weights) &&
                has_length(frame, "mean", sizes.slices) && has_length(frame, "rstd", sizes.slices);
    if (saved)
        fits = fits && has_length(frame, "save_mean", sizes.weights) &&
               has_length(frame, "save_invstd", sizes.weights);
    return fits ? NULL : "tensors whose sizes do not fit";
}

#define ROW(base_, schema_, needs_, run_) \
    {.base = base_,                       \
     .overloads = "default",              \
     .schema = schema_,                   \
     .needs = needs_,                     \
     .check = norm_check,                 \
     .run = run_}

const struct routine norm_routines[] = {
    ROW("native_layer_norm", "input normalized_shape weight bias eps", "input", norm_layer),
    ROW("native_layer_norm_backward",
        "grad_out input normalized_shape mean rstd weight bias output_mask",
        "grad_out input mean rstd", norm_layer_backward),
    ROW("native_batch_norm", "input weight bias running_mean running_var training momentum eps",
        "input", norm_batch),
    ROW("native_batch_norm_backward",
        "grad_out input weight running_mean running_var save_mean save_invstd train eps "
        "output_mask",
        "grad_out input", norm_batch_backward),
    ROW("native_group_norm", "input weight bias N C HxW group eps", "input", norm_group),
    ROW("native_group_norm_backward", "grad_out input mean rstd weight N C HxW group output_mask",
        "grad_out input mean rstd", norm_group_backward),
    {0},
};

// norm_layer: a slice consists of the last dimensions.
#include <math.h>
#include <string.h>

#include "norm.h"

struct layers {
    struct view input;
    int first;  // dimension of a slice
    uint32_t set;
    struct slices slices;
    int64_t statistics_shape[BILANX_MAX_DIMENSIONS];
};

static void take_layers(struct frame *frame, struct layers *layers)
{
    int64_t shape[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "input", &layers->input);
    int ndim = layers->input.ndim;
    layers->first = ndim - argument_integers(frame, "normalized_shape", shape);
    layers->set = (1u << ndim) - (1u << layers->first);
    slices_init(&layers->slices, &layers->input, layers->set);
    for (int d = 0; d < ndim; d++)
        layers->statistics_shape[d] = d < layers->first ? layers->input.shape[d] : 1;
}

const char *norm_layer(struct frame *frame)
{
    struct layers layers;
    take_layers(frame, &layers);
    int64_t n = layers.slices.length;
    double *x = scratch(frame, (size_t)n * sizeof *x), epsilon = argument_real(frame, "eps", 1e-5);
    const double *weight = norm_vector(frame, "weight", n, 1);
    const double *bias = norm_vector(frame, "bias", n, 0);
    const struct view *in = &layers.input;
    const struct dtype *type = norm_statistics_type(frame, in->type);
    struct view out = add_result(frame, in->type, in->ndim, in->shape, NULL);
    struct view means = add_result(frame, type, in->ndim, layers.statistics_shape, NULL);
    struct view scales = add_result(frame, type, in->ndim, layers.statistics_shape, NULL);
    struct slices results;
    slices_init(&results, &out, layers.set);
    for (int64_t i = 0; i < layers.slices.count; i++) {
        double mean, variance;
        slices_load_reals(&layers.slices, i, x);
        norm_statistics(x, n, &mean, &variance);
        mean = n ? mean : 0;  // of an empty slice, as in ATen; that of an empty batch is NaN
        double scale = 1 / sqrt(variance + epsilon);
        for (int64_t j = 0; j < n; j++)
            x[j] = (x[j] - mean) * scale * weight[j] + bias[j];
        slices_store_reals(&results, i, x);
        store_reals(type, means.data + i * (int64_t)type->size, 1, 1, &mean);
        store_reals(type, scales.data + i * (int64_t)type->size, 1, 1, &scale);
    }
    return NULL;
}

const char *norm_layer_backward(struct frame *frame)
{
    struct layers layers;
    struct view gradient_view, out;
    take_layers(frame, &layers);
    argument_view(frame, "grad_out", &gradient_view);
    int64_t n = layers.slices.length, count = layers.slices.count;
    size_t bytes = (size_t)n * sizeof(double);
    double *gradient = scratch(frame, bytes), *x = scratch(frame, bytes);
    double *for_weight = memset(scratch(frame, bytes), 0, bytes);
    double *for_bias = memset(scratch(frame, bytes), 0, bytes);
    const double *means = norm_vector(frame, "mean", count, 0);
    const double *scales = norm_vector(frame, "rstd", count, 1);
    struct norm_slice slice = {gradient, x, norm_vector(frame, "weight", n, 1), n,
                               .out = scratch(frame, bytes)};
    struct slices gradients, results;
    const struct view *in = &layers.input;
    slices_init(&gradients, &gradient_view, layers.set);
    bool has_out = argument_item(frame, "output_mask", 0);
    if (has_out) {
        out = add_result(frame, in->type, in->ndim, in->shape, NULL);
        slices_init(&results, &out, layers.set);
    } else {
        add_no_result(frame);
    }
    for (int64_t i = 0; i < count; i++) {
        slices_load_reals(&gradients, i, gradient);
        slices_load_reals(&layers.slices, i, x);
        slice.mean = means[i];
        slice.scale = scales[i];
        for (int64_t j = 0; j < n; j++) {
            for_weight[j] += gradient[j] * (x[j] - means[i]) * scales[i];
            for_bias[j] += gradient[j];
        }
        norm_backward_slice(&slice);
        if (has_out)
            slices_store_reals(&results, i, slice.out);
    }
    const int64_t *shape = in->shape + layers.first;
    norm_add_vector(frame, 1, in->type, in->ndim - layers.first, shape, for_weight);
    norm_add_vector(frame, 2, in->type, in->ndim - layers.first, shape, for_bias);
    return NULL;
}

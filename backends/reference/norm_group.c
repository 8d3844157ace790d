// norm_group: a slice is a group of channels of one sample.
#include <math.h>
#include <string.h>

#include "norm.h"

struct groups {
    struct view input;
    int64_t samples, channels, groups, per_group, space;
    uint32_t set;
    struct slices slices;
};

// The same tensor with its channels as two dimensions: groups, and channels of a group.
static struct view split(const struct view *view, int64_t groups)
{
    struct view wide = view_insert(view, 1, groups, view->strides[1] * (view->shape[1] / groups));
    wide.shape[2] = view->shape[1] / groups;
    return wide;
}

static void take_groups(struct frame *frame, struct groups *groups)
{
    argument_view(frame, "input", &groups->input);
    groups->samples = groups->input.shape[0];
    groups->channels = groups->input.shape[1];
    groups->groups = argument_integer(frame, "group", 1);
    groups->per_group = groups->channels / groups->groups;
    struct view wide = split(&groups->input, groups->groups);
    groups->set = (1u << wide.ndim) - 4;  // all but the sample and the group
    slices_init(&groups->slices, &wide, groups->set);
    groups->space = groups->per_group > 0 ? groups->slices.length / groups->per_group : 0;
}

const char *norm_group(struct frame *frame)
{
    struct groups groups;
    take_groups(frame, &groups);
    int64_t n = groups.slices.length;
    double *x = scratch(frame, (size_t)n * sizeof *x), epsilon = argument_real(frame, "eps", 1e-5);
    const double *weight = norm_vector(frame, "weight", groups.channels, 1);
    const double *bias = norm_vector(frame, "bias", groups.channels, 0);
    const struct view *in = &groups.input;
    const struct dtype *type = norm_statistics_type(frame, in->type);
    int64_t shape[] = {groups.samples, groups.groups};
    struct view out = add_result(frame, in->type, in->ndim, in->shape, NULL);
    struct view means = add_result(frame, type, 2, shape, NULL);
    struct view scales = add_result(frame, type, 2, shape, NULL);
    struct slices results;
    struct view wide = split(&out, groups.groups);
    slices_init(&results, &wide, groups.set);
    for (int64_t i = 0; i < groups.slices.count; i++) {
        double mean, variance;
        int64_t channel = i % groups.groups * groups.per_group;
        slices_load_reals(&groups.slices, i, x);
        norm_statistics(x, n, &mean, &variance);
        mean = n ? mean : 0;  // of an empty slice, as in ATen; that of an empty batch is NaN
        double scale = 1 / sqrt(variance + epsilon);
        for (int64_t j = 0; j < n; j++) {
            int64_t c = channel + j / groups.space;
            x[j] = (x[j] - mean) * scale * weight[c] + bias[c];
        }
        slices_store_reals(&results, i, x);
        store_reals(type, means.data + i * (int64_t)type->size, 1, 1, &mean);
        store_reals(type, scales.data + i * (int64_t)type->size, 1, 1, &scale);
    }
    return NULL;
}

const char *norm_group_backward(struct frame *frame)
{
    struct groups groups;
    struct view gradient_view, out;
    take_groups(frame, &groups);
    argument_view(frame, "grad_out", &gradient_view);
    int64_t n = groups.slices.length, count = groups.slices.count;
    size_t bytes = (size_t)n * sizeof(double), vector = (size_t)groups.channels * sizeof(double);
    double *gradient = scratch(frame, bytes), *x = scratch(frame, bytes);
    double *weights = scratch(frame, bytes);
    double *for_weight = memset(scratch(frame, vector), 0, vector);
    double *for_bias = memset(scratch(frame, vector), 0, vector);
    const double *means = norm_vector(frame, "mean", count, 0);
    const double *scales = norm_vector(frame, "rstd", count, 1);
    const double *weight = norm_vector(frame, "weight", groups.channels, 1);
    struct norm_slice slice = {gradient, x, weights, n, .out = scratch(frame, bytes)};
    struct view wide = split(&gradient_view, groups.groups);
    struct slices gradients, results;
    slices_init(&gradients, &wide, groups.set);
    const struct view *in = &groups.input;
    bool has_out = argument_item(frame, "output_mask", 0);
    if (has_out) {
        out = add_result(frame, in->type, in->ndim, in->shape, NULL);
        wide = split(&out, groups.groups);
        slices_init(&results, &wide, groups.set);
    } else {
        add_no_result(frame);
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t channel = i % groups.groups * groups.per_group;
        slices_load_reals(&gradients, i, gradient);
        slices_load_reals(&groups.slices, i, x);
        slice.mean = means[i];
        slice.scale = scales[i];
        for (int64_t j = 0; j < n; j++) {
            int64_t c = channel + j / groups.space;
            weights[j] = weight[c];
            for_weight[c] += gradient[j] * (x[j] - means[i]) * scales[i];
            for_bias[c] += gradient[j];
        }
        norm_backward_slice(&slice);
        if (has_out)
            slices_store_reals(&results, i, slice.out);
    }
    norm_add_vector(frame, 1, in->type, 1, &groups.channels, for_weight);
    norm_add_vector(frame, 2, in->type, 1, &groups.channels, for_bias);
    return NULL;
}

// norm_batch: a slice is a channel of the whole batch.
#include <math.h>
#include <string.h>

#include "norm.h"

enum { CHANNEL = 1 };  // the dimension

struct batch {
    struct view input;
    uint32_t set;
    struct slices slices;
    int64_t channels, length;
};

static void take_batch(struct frame *frame, struct batch *batch)
{
    argument_view(frame, "input", &batch->input);
    batch->set = ((1u << batch->input.ndim) - 1) & ~(1u << CHANNEL);
    slices_init(&batch->slices, &batch->input, batch->set);
    batch->channels = batch->slices.count;
    batch->length = batch->slices.length;
}

static void store_vector(const struct frame *frame, const char *name, const double *from, int64_t n)
{
    struct view view;
    if (argument_view(frame, name, &view))
        store_reals(view.type, view.data, view.strides[0], (size_t)n, from);
}

struct running {
    double *mean, *variance;
    double momentum;
};

static void update(struct running *running, int64_t channel, double mean, double variance,
                   int64_t n)
{
    double rate = running->momentum;
    double unbiased = n ? variance * (double)n / (double)(n - 1) : 0;  // n = 0: as in ATen
    running->mean[channel] = (1 - rate) * running->mean[channel] + rate * mean;
    running->variance[channel] = (1 - rate) * running->variance[channel] + rate * unbiased;
}

static void save(struct frame *frame, const struct batch *batch, bool training, const double *means,
                 const double *scales)
{
    const struct dtype *type = norm_statistics_type(frame, batch->input.type);
    int64_t shape[] = {training ? batch->channels : 0};
    struct view saved_mean = add_result(frame, type, 1, shape, NULL);
    struct view saved_scale = add_result(frame, type, 1, shape, NULL);
    store_reals(type, saved_mean.data, 1, (size_t)shape[0], means);
    store_reals(type, saved_scale.data, 1, (size_t)shape[0], scales);
}

const char *norm_batch(struct frame *frame)
{
    struct batch batch;
    take_batch(frame, &batch);
    int64_t channels = batch.channels, n = batch.length;
    bool training = argument_integer(frame, "training", 0);
    double epsilon = argument_real(frame, "eps", 1e-5);
    double *x = scratch(frame, (size_t)n * sizeof *x);
    double *means = scratch(frame, (size_t)channels * sizeof *means);
    double *scales = scratch(frame, (size_t)channels * sizeof *scales);
    const double *weight = norm_vector(frame, "weight", channels, 1);
    const double *bias = norm_vector(frame, "bias", channels, 0);
    struct running running = {norm_vector(frame, "running_mean", channels, 0),
                              norm_vector(frame, "running_var", channels, 1),
                              argument_real(frame, "momentum", .1)};
    struct view out = add_result_like(frame, batch.input.type, &batch.input);
    struct slices results;
    slices_init(&results, &out, batch.set);
    for (int64_t c = 0; c < channels; c++) {
        double mean = running.mean[c], variance = running.variance[c];
        slices_load_reals(&batch.slices, c, x);
        if (training) {
            norm_statistics(x, n, &mean, &variance);
            update(&running, c, mean, variance, n);
        }
        means[c] = mean;
        scales[c] = 1 / sqrt(variance + epsilon);
        for (int64_t i = 0; i < n; i++)
            x[i] = (x[i] - mean) * scales[c] * weight[c] + bias[c];
        slices_store_reals(&results, c, x);
    }
    save(frame, &batch, training, means, scales);
    if (training) {
        store_vector(frame, "running_mean", running.mean, channels);
        store_vector(frame, "running_var", running.variance, channels);
    }
    return NULL;
}

// In training, the statistics depend on the input as well; otherwise they are constants.
static void backward_channel(struct norm_slice *slice, bool training, double *for_weight,
                             double *for_bias)
{
    *for_weight = *for_bias = 0;
    for (int64_t i = 0; i < slice->length; i++) {
        *for_weight += slice->gradient[i] * (slice->x[i] - slice->mean) * slice->scale;
        *for_bias += slice->gradient[i];
    }
    if (training)
        norm_backward_slice(slice);
    for (int64_t i = 0; i < slice->length && !training; i++)
        slice->out[i] = slice->gradient[i] * slice->weight[i] * slice->scale;
}

static double *reals(struct frame *frame, int64_t n)
{
    return scratch(frame, (size_t)n * sizeof(double));
}

const char *norm_batch_backward(struct frame *frame)
{
    struct batch batch;
    struct view gradient_view, out;
    take_batch(frame, &batch);
    argument_view(frame, "grad_out", &gradient_view);
    int64_t channels = batch.channels, n = batch.length;
    bool training = argument_integer(frame, "train", 0);
    bool has_out = argument_item(frame, "output_mask", 0);
    double epsilon = argument_real(frame, "eps", 1e-5);
    double *gradient = reals(frame, n), *x = reals(frame, n), *weights = reals(frame, n);
    double *for_weight = reals(frame, channels), *for_bias = reals(frame, channels);
    const double *weight = norm_vector(frame, "weight", channels, 1);
    const double *mean = norm_vector(frame, training ? "save_mean" : "running_mean", channels, 0);
    const double *scale = norm_vector(frame, training ? "save_invstd" : "running_var", channels, 1);
    struct norm_slice slice = {gradient, x, weights, n, .out = reals(frame, n)};
    struct slices gradients, results;
    slices_init(&gradients, &gradient_view, batch.set);
    if (has_out) {
        out = add_result_like(frame, batch.input.type, &batch.input);
        slices_init(&results, &out, batch.set);
    } else {
        add_no_result(frame);
    }
    for (int64_t c = 0; c < channels; c++) {
        slices_load_reals(&gradients, c, gradient);
        slices_load_reals(&batch.slices, c, x);
        slice.mean = mean[c];
        slice.scale = training ? scale[c] : 1 / sqrt(scale[c] + epsilon);
        for (int64_t i = 0; i < n; i++)
            weights[i] = weight[c];
        backward_channel(&slice, training, &for_weight[c], &for_bias[c]);
        if (has_out)
            slices_store_reals(&results, c, slice.out);
    }
    const struct dtype *type = norm_statistics_type(frame, batch.input.type);
    norm_add_vector(frame, 1, type, 1, &channels, for_weight);
    norm_add_vector(frame, 2, type, 1, &channels, for_bias);
    return NULL;
}

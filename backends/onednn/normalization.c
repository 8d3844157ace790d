// normalization: layer and batch norm, forward and backward.
//
// oneDNN uses variances, torch reciprocals of standard deviations. Converting them is part of the
// run.
#include <math.h>
#include <string.h>

#include "task.h"

struct norm {
    struct view input, gradient, weight, bias;
    bool has_weights, is_training, is_layer;
    float epsilon;
    int64_t channels;        // length of weights
    struct view statistics;  // contiguous, without data
};

static const char *take_weights(const struct frame *frame, struct norm *norm)
{
    norm->has_weights = argument_view(frame, "weight", &norm->weight);
    bool has_bias = argument_view(frame, "bias", &norm->bias);
    bool needs_bias = !frame->routine->how;
    if (needs_bias && norm->has_weights != has_bias)
        return "weight without bias";
    if (norm->has_weights &&
        (norm->weight.type->size != sizeof(float) || !view_is_contiguous(&norm->weight)))
        return "weights other than contiguous f32";
    if (has_bias && needs_bias &&
        (norm->bias.type->size != sizeof(float) || !view_is_contiguous(&norm->bias)))
        return "weights other than contiguous f32";
    return NULL;
}

// `how` of a routine is the name of the gradient, if it is a backward one.
static const char *take(const struct frame *frame, struct norm *out)
{
    struct norm norm = {0};
    const char *gradient = frame->routine->how;
    const struct dtype *f32 = dtype_find("f32");
    if (!argument_view(frame, "input", &norm.input) || norm.input.ndim < 2)
        return "needs two dimensions";
    if (norm.input.type != f32)
        return "only f32";
    norm.is_layer = has_argument(frame, "normalized_shape");
    norm.epsilon = (float)argument_real(frame, "eps", 1e-5);
    norm.is_training = norm.is_layer || argument_integer(frame, gradient ? "train" : "training", 0);
    int ndim = norm.input.ndim;
    int64_t shape[BILANX_MAX_DIMENSIONS];
    if (norm.is_layer && argument_integers(frame, "normalized_shape", shape) != 1)
        return "more than one dimension";
    norm.channels = norm.input.shape[norm.is_layer ? ndim - 1 : 1];
    norm.statistics = norm.is_layer ? task_view(f32, ndim - 1, norm.input.shape)
                                    : task_view(f32, 1, &norm.channels);
    if (norm.is_layer) {  // torch's results are contiguous
        struct view contiguous = task_view(norm.input.type, ndim, norm.input.shape);
        norm.gradient = contiguous;
    }
    if (gradient && !argument_view(frame, gradient, &norm.gradient))
        return "needs a gradient";
    const char *problem = take_weights(frame, &norm);
    if (!problem)
        *out = norm;
    return problem;
}

// The layout of all tensors but the statistics.
static struct view dense_of(const struct norm *norm)
{
    return norm->is_layer ? task_view(norm->input.type, norm->input.ndim, norm->input.shape)
                          : task_dense(&norm->input);
}

static dnnl_status_t describe(const struct frame *frame, struct task *task, const struct norm *norm,
                              enum direction direction, dnnl_primitive_desc_t *out)
{
    struct description data = {0}, statistics = {0};
    struct view dense = dense_of(norm);
    dnnl_status_t status = description_of(&data, &dense, false);
    if (status == dnnl_success && norm->is_layer)
        status = description_of(&statistics, &norm->statistics, false);
    struct normalization what = {description_layout(&data), description_layout(&statistics),
                                 norm->epsilon, norm->has_weights, norm->is_training};
    struct setting setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_normalization(&setting, &what, direction, out);
    description_done(&data);
    description_done(&statistics);
    return status;
}

static dnnl_status_t add_vectors(const struct frame *frame, struct task *task,
                                 const struct norm *norm, int scale, int shift, bool is_output)
{
    struct view vector = task_view(norm->statistics.type, 1, &norm->channels);
    if (!norm->has_weights)
        return dnnl_success;
    dnnl_status_t status = task_add(frame, task, scale, &vector, is_output, dnnl_query_undef);
    return status != dnnl_success || !shift
               ? status
               : task_add(frame, task, shift, &vector, is_output, dnnl_query_undef);
}

static dnnl_status_t add_statistics(const struct frame *frame, struct task *task,
                                    const struct norm *norm, bool is_output)
{
    dnnl_status_t status =
        task_add(frame, task, DNNL_ARG_MEAN, &norm->statistics, is_output, dnnl_query_undef);
    return status != dnnl_success ? status
                                  : task_add(frame, task, DNNL_ARG_VARIANCE, &norm->statistics,
                                             is_output, dnnl_query_undef);
}

static const char *check(struct frame *frame)
{
    struct norm norm;
    const char *problem = take(frame, &norm);
    if (problem)
        return problem;
    struct task *task = task_new(frame, 1);
    struct view dense = dense_of(&norm);
    dnnl_status_t status = describe(frame, task, &norm, FORWARD, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &norm.input, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status = add_statistics(frame, task, &norm, norm.is_training);
    if (status == dnnl_success)
        status = add_vectors(frame, task, &norm, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, false);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DST, &dense, true, dnnl_query_dst_md);
    return task_reason(status == dnnl_success ? task_finish(task) : status);
}

static float *floats(const struct view *view)
{
    return (float *)(void *)view->data;
}

// running = (1 - momentum) * running + momentum * new
static void update(const struct frame *frame, const char *name, const float *values, int64_t count,
                   float factor)
{
    struct view view;
    if (!argument_view(frame, name, &view))
        return;
    float momentum = (float)argument_real(frame, "momentum", .1);
    for (int64_t i = 0; i < count; i++) {
        float *own = floats(&view) + i * view.strides[0];
        *own = (1 - momentum) * *own + momentum * values[i] * factor;
    }
}

static const char *run(struct frame *frame)
{
    struct norm norm;
    struct view running;
    take(frame, &norm);
    struct view dense = dense_of(&norm);
    struct view out = add_result(frame, dense.type, dense.ndim, dense.shape, dense.strides);
    int64_t shape[BILANX_MAX_DIMENSIONS] = {norm.is_training ? norm.channels : 0};
    int ndim = norm.is_layer ? norm.input.ndim : 1;
    for (int d = 0; d < ndim && norm.is_layer; d++)
        shape[d] = d < ndim - 1 ? norm.input.shape[d] : 1;
    struct view means = add_result(frame, out.type, ndim, shape, NULL);
    struct view scales = add_result(frame, out.type, ndim, shape, NULL);
    task_bind(frame->cache, DNNL_ARG_SRC, norm.input.data);
    task_bind(frame->cache, DNNL_ARG_DST, out.data);
    task_bind(frame->cache, DNNL_ARG_SCALE, norm.weight.data);
    task_bind(frame->cache, DNNL_ARG_SHIFT, norm.bias.data);
    task_bind(frame->cache, DNNL_ARG_MEAN, means.data);
    task_bind(frame->cache, DNNL_ARG_VARIANCE, scales.data);
    if (!norm.is_training && argument_view(frame, "running_mean", &running))
        task_bind(frame->cache, DNNL_ARG_MEAN, running.data);
    if (!norm.is_training && argument_view(frame, "running_var", &running))
        task_bind(frame->cache, DNNL_ARG_VARIANCE, running.data);
    const char *problem = task_run(frame, frame->cache);
    if (problem || !norm.is_training)
        return problem;
    int64_t count = view_count(&scales);
    if (!norm.is_layer) {
        float n = (float)(view_count(&norm.input) / norm.channels);
        update(frame, "running_mean", floats(&means), count, 1);
        update(frame, "running_var", floats(&scales), count, n / (n - 1));
    }
    for (int64_t i = 0; i < count; i++)
        floats(&scales)[i] = 1 / sqrtf(floats(&scales)[i] + norm.epsilon);
    return NULL;
}

static const char *saved_mean(const struct norm *norm)
{
    return norm->is_layer ? "mean" : norm->is_training ? "save_mean" : "running_mean";
}

static const char *saved_scale(const struct norm *norm)
{
    return norm->is_layer ? "rstd" : norm->is_training ? "save_invstd" : "running_var";
}

// Some versions require the shift as an input of the backward operation, although nothing depends
// on it; others refuse it. The five necessary inputs are the two tensors, the statistics and the
// scale.
static int wanted_shift(const struct task *task)
{
    int inputs = 0;
    dnnl_primitive_desc_query(task->description, dnnl_query_num_of_inputs_s32, 0, &inputs);
    return inputs > 5 ? DNNL_ARG_SHIFT : 0;
}

static const char *check_backward(struct frame *frame)
{
    struct norm norm;
    struct view mean, scale;
    const char *problem = take(frame, &norm);
    if (problem)
        return problem;
    bool all = argument_item(frame, "output_mask", 1) && argument_item(frame, "output_mask", 2);
    bool none = !argument_item(frame, "output_mask", 1) && !argument_item(frame, "output_mask", 2);
    if (!argument_item(frame, "output_mask", 0) || !(norm.has_weights ? all : none))
        return "some gradients only";
    if (!argument_view(frame, saved_mean(&norm), &mean) ||
        !argument_view(frame, saved_scale(&norm), &scale) || !view_is_contiguous(&mean) ||
        !view_is_contiguous(&scale))
        return "statistics other than contiguous f32";
    struct task *task = task_new(frame, 1);
    struct view dense = dense_of(&norm);
    dnnl_status_t status = describe(frame, task, &norm, FORWARD, &task->hint);
    if (status == dnnl_success)
        status = describe(frame, task, &norm, BACKWARD_DATA, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &norm.input, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status =
            task_add(frame, task, DNNL_ARG_DIFF_DST, &norm.gradient, false, dnnl_query_diff_dst_md);
    if (status == dnnl_success)
        status = add_statistics(frame, task, &norm, false);
    if (status == dnnl_success)
        status = add_vectors(frame, task, &norm, DNNL_ARG_SCALE, wanted_shift(task), false);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_SRC, &dense, true, dnnl_query_diff_src_md);
    if (status == dnnl_success)
        status = add_vectors(frame, task, &norm, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT, true);
    return task_reason(status == dnnl_success ? task_finish(task) : status);
}

static void add_gradients(struct frame *frame, const struct norm *norm)
{
    if (!norm->has_weights) {
        add_no_result(frame);
        add_no_result(frame);
        return;
    }
    struct view weight = add_result(frame, norm->weight.type, 1, &norm->channels, NULL);
    struct view bias = add_result(frame, norm->weight.type, 1, &norm->channels, NULL);
    task_bind(frame->cache, DNNL_ARG_DIFF_SCALE, weight.data);
    task_bind(frame->cache, DNNL_ARG_DIFF_SHIFT, bias.data);
}

static const char *run_backward(struct frame *frame)
{
    struct norm norm;
    struct view mean, scale;
    take(frame, &norm);
    argument_view(frame, saved_mean(&norm), &mean);
    argument_view(frame, saved_scale(&norm), &scale);
    struct view dense = dense_of(&norm);
    struct view out = add_result(frame, dense.type, dense.ndim, dense.shape, dense.strides);
    add_gradients(frame, &norm);
    int64_t count = view_count(&scale);
    float *variances = scratch(frame, (size_t)count * sizeof *variances);
    for (int64_t i = 0; i < count; i++) {
        float own = floats(&scale)[i];
        variances[i] = norm.is_training ? 1 / (own * own) - norm.epsilon : own;
    }
    task_bind(frame->cache, DNNL_ARG_SRC, norm.input.data);
    task_bind(frame->cache, DNNL_ARG_DIFF_DST, norm.gradient.data);
    task_bind(frame->cache, DNNL_ARG_MEAN, mean.data);
    task_bind(frame->cache, DNNL_ARG_VARIANCE, variances);
    task_bind(frame->cache, DNNL_ARG_SCALE, norm.weight.data);
    task_bind(frame->cache, DNNL_ARG_SHIFT, norm.weight.data);  // where the caller wants it
    task_bind(frame->cache, DNNL_ARG_DIFF_SRC, out.data);
    return task_run(frame, frame->cache);
}

const struct routine normalization_routines[] = {
    {.base = "native_layer_norm",
     .overloads = "default",
     .schema = "input normalized_shape weight bias eps",
     .check = check,
     .run = run,
     .forget = task_forget},
    {.base = "native_layer_norm_backward",
     .overloads = "default",
     .schema = "grad_out input normalized_shape mean rstd weight bias output_mask",
     .check = check_backward,
     .run = run_backward,
     .forget = task_forget,
     .how = "grad_out"},
    {.base = "native_batch_norm",
     .overloads = "default",
     .schema = "input weight bias running_mean running_var training momentum eps",
     .check = check,
     .run = run,
     .forget = task_forget},
    {.base = "native_batch_norm_backward",
     .overloads = "default",
     .schema = "grad_out input weight running_mean running_var save_mean save_invstd train eps "
               "output_mask",
     .check = check_backward,
     .run = run_backward,
     .forget = task_forget,
     .how = "grad_out"},
    {0},
};

// convolution: convolutions of one to three dimensions, transposed ones too, and their backward.
//
// In oneDNN, groups are a dimension of the weights, and the weights of a transposed convolution
// have the order of a plain one. Both are views of torch's weights.
#include <string.h>

#include "task.h"

struct geometry {
    struct view src, weights, dst;  // weights as oneDNN sees them; views without data
    struct view own_weights;        // as torch sees them
    struct convolution what;        // without layouts
    int64_t channels;               // of dst
    bool has_bias;
};

static struct view with_groups(const struct view *weights, int64_t groups, bool is_transposed)
{
    struct view view = *weights;
    if (groups > 1) {
        view = view_insert(weights, 0, groups, weights->strides[0] * (weights->shape[0] / groups));
        view.shape[1] = weights->shape[0] / groups;
    }
    int first = groups > 1;
    return is_transposed ? view_swap(&view, first, first + 1) : view;
}

// A list of one number applies to all dimensions.
static void take_list(const struct frame *frame, const char *name, int count, int64_t otherwise,
                      int64_t *out)
{
    int found = argument_integers(frame, name, out);
    for (int d = found; d < count; d++)
        out[d] = found == 1 ? out[0] : otherwise;
}

static int64_t output_size(const struct geometry *geometry, int d, int64_t stride, int64_t dilation,
                           int64_t padding, int64_t output_padding)
{
    int64_t in = geometry->src.shape[d + 2];
    int64_t reach = dilation * (geometry->own_weights.shape[d + 2] - 1) + 1;
    return geometry->what.is_transposed ? (in - 1) * stride - 2 * padding + reach + output_padding
                                        : (in + 2 * padding - reach) / stride + 1;
}

static const char *take_geometry(const struct frame *frame, struct geometry *out)
{
    struct geometry geometry = {0};
    int64_t strides[BILANX_MAX_DIMENSIONS], paddings[BILANX_MAX_DIMENSIONS];
    int64_t dilations[BILANX_MAX_DIMENSIONS], extra[BILANX_MAX_DIMENSIONS];
    if (!argument_view(frame, "input", &geometry.src) ||
        !argument_view(frame, "weight", &geometry.own_weights))
        return "needs two tensors";
    int space = geometry.src.ndim - 2;
    if (space < 1 || space > 3 || geometry.own_weights.ndim != geometry.src.ndim)
        return "dimensions other than 3, 4 or 5";
    if (geometry.src.type != geometry.own_weights.type)
        return "two types";
    int64_t groups = argument_integer(frame, "groups", 1);
    bool is_transposed = argument_integer(frame, "transposed", 0);
    if (groups < 1 || geometry.own_weights.shape[0] % groups)
        return "groups that do not fit";
    take_list(frame, "stride", space, 1, strides);
    take_list(frame, "padding", space, 0, paddings);
    take_list(frame, "dilation", space, 1, dilations);
    take_list(frame, "output_padding", space, 0, extra);
    geometry.what.is_transposed = is_transposed;
    geometry.channels =
        is_transposed ? geometry.own_weights.shape[1] * groups : geometry.own_weights.shape[0];
    geometry.weights = with_groups(&geometry.own_weights, groups, is_transposed);
    struct view shape = geometry.src;
    shape.shape[1] = geometry.channels;
    for (int d = 0; d < space; d++) {
        if (strides[d] < 1)
            return "strides below 1";
        shape.shape[d + 2] = output_size(&geometry, d, strides[d], dilations[d], paddings[d],
                                         is_transposed ? extra[d] : 0);
        geometry.what.strides[d] = strides[d];
        geometry.what.dilates[d] = dilations[d] - 1;
        geometry.what.left[d] = paddings[d];
        geometry.what.right[d] = paddings[d] - (is_transposed ? extra[d] : 0);
        if (shape.shape[d + 2] <= 0)
            return "no elements";
    }
    geometry.dst = task_dense(&shape);
    *out = geometry;
    return NULL;
}

// A contiguous view like torch's weights: their gradient has this layout.
static struct view weights_gradient(const struct geometry *geometry, const struct frame *frame)
{
    struct view view = task_view(geometry->own_weights.type, geometry->own_weights.ndim,
                                 geometry->own_weights.shape);
    return with_groups(&view, argument_integer(frame, "groups", 1), geometry->what.is_transposed);
}

// The library chooses the layouts of src, weights and dst.
static dnnl_status_t describe(const struct frame *frame, struct task *task,
                              const struct geometry *geometry, enum direction direction,
                              bool has_bias, dnnl_primitive_desc_t *out)
{
    struct description src = {0}, weights = {0}, bias = {0}, dst = {0};
    struct view vector = task_view(geometry->src.type, 1, &geometry->channels);
    dnnl_status_t status = description_of(&src, &geometry->src, true);
    if (status == dnnl_success)
        status = description_of(&weights, &geometry->weights, true);
    if (status == dnnl_success && has_bias)
        status = description_of(&bias, &vector, false);
    if (status == dnnl_success)
        status = description_of(&dst, &geometry->dst, true);
    struct convolution what = geometry->what;
    what.src = description_layout(&src);
    what.weights = description_layout(&weights);
    what.bias = description_layout(&bias);
    what.dst = description_layout(&dst);
    struct setting setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_convolution(&setting, &what, direction, out);
    description_done(&src);
    description_done(&weights);
    description_done(&bias);
    description_done(&dst);
    return status;
}

static dnnl_status_t build(struct frame *frame, const struct geometry *geometry)
{
    struct task *task = task_new(frame, 1);
    struct view bias;
    bool has_bias = argument_view(frame, "bias", &bias);
    dnnl_status_t status = describe(frame, task, geometry, FORWARD, has_bias, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &geometry->src, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_WEIGHTS, &geometry->weights, false,
                          dnnl_query_weights_md);
    if (status == dnnl_success && has_bias)
        status = task_add(frame, task, DNNL_ARG_BIAS, &bias, false, dnnl_query_undef);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DST, &geometry->dst, true, dnnl_query_dst_md);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check(struct frame *frame)
{
    struct geometry geometry;
    const char *problem = take_geometry(frame, &geometry);
    return problem ? problem : task_reason(build(frame, &geometry));
}

static const char *run(struct frame *frame)
{
    struct task *task = frame->cache;
    struct geometry geometry;
    struct view bias = {0};
    take_geometry(frame, &geometry);
    argument_view(frame, "bias", &bias);
    struct view out = add_result(frame, geometry.dst.type, geometry.dst.ndim, geometry.dst.shape,
                                 geometry.dst.strides);
    task_bind(task, DNNL_ARG_SRC, geometry.src.data);
    task_bind(task, DNNL_ARG_WEIGHTS, geometry.weights.data);
    task_bind(task, DNNL_ARG_BIAS, bias.data);
    task_bind(task, DNNL_ARG_DST, out.data);
    return task_run(frame, task);
}

// Two tasks: the gradient of the input, and those of weights and bias.
static dnnl_status_t build_data(struct frame *frame, struct task *task,
                                const struct geometry *geometry, const struct view *gradient)
{
    struct view out = task_dense(&geometry->src);
    dnnl_status_t status = describe(frame, task, geometry, FORWARD, false, &task->hint);
    if (status == dnnl_success)
        status = describe(frame, task, geometry, BACKWARD_DATA, false, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_DST, gradient, false, dnnl_query_diff_dst_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_WEIGHTS, &geometry->weights, false,
                          dnnl_query_weights_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_SRC, &out, true, dnnl_query_diff_src_md);
    return status == dnnl_success ? task_finish(task) : status;
}

static dnnl_status_t build_weights(struct frame *frame, struct task *task,
                                   const struct geometry *geometry, const struct view *gradient)
{
    struct view out = weights_gradient(geometry, frame);
    struct view vector = task_view(geometry->src.type, 1, &geometry->channels);
    bool has_bias = argument_item(frame, "output_mask", 2);
    dnnl_status_t status = describe(frame, task, geometry, FORWARD, has_bias, &task->hint);
    if (status == dnnl_success)
        status = describe(frame, task, geometry, BACKWARD_WEIGHTS, has_bias, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_DST, gradient, false, dnnl_query_diff_dst_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &geometry->src, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status =
            task_add(frame, task, DNNL_ARG_DIFF_WEIGHTS, &out, true, dnnl_query_diff_weights_md);
    if (status == dnnl_success && has_bias)
        status = task_add(frame, task, DNNL_ARG_DIFF_BIAS, &vector, true, dnnl_query_undef);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check_backward(struct frame *frame)
{
    struct geometry geometry;
    struct view gradient;
    const char *problem = take_geometry(frame, &geometry);
    if (problem)
        return problem;
    if (!argument_view(frame, "grad_output", &gradient) || gradient.type != geometry.src.type ||
        gradient.ndim != geometry.dst.ndim ||
        memcmp(gradient.shape, geometry.dst.shape, (size_t)gradient.ndim * sizeof(int64_t)) != 0)
        return "a gradient of another type or shape";
    if (argument_item(frame, "output_mask", 2) && !argument_item(frame, "output_mask", 1))
        return "the gradient of the bias alone";
    struct task *tasks = task_new(frame, 2);
    dnnl_status_t status = dnnl_success;
    if (argument_item(frame, "output_mask", 0))
        status = build_data(frame, &tasks[0], &geometry, &gradient);
    if (status == dnnl_success && argument_item(frame, "output_mask", 1))
        status = build_weights(frame, &tasks[1], &geometry, &gradient);
    return task_reason(status);
}

static const char *run_data(struct frame *frame, struct task *task, const struct geometry *geometry,
                            const struct view *gradient)
{
    struct view out = add_result_like(frame, geometry->src.type, &geometry->src);
    task_bind(task, DNNL_ARG_DIFF_DST, gradient->data);
    task_bind(task, DNNL_ARG_WEIGHTS, geometry->weights.data);
    task_bind(task, DNNL_ARG_DIFF_SRC, out.data);
    return task_run(frame, task);
}

static const char *run_weights(struct frame *frame, struct task *task,
                               const struct geometry *geometry, const struct view *gradient)
{
    struct view out = add_result(frame, geometry->own_weights.type, geometry->own_weights.ndim,
                                 geometry->own_weights.shape, NULL);
    task_bind(task, DNNL_ARG_DIFF_DST, gradient->data);
    task_bind(task, DNNL_ARG_SRC, geometry->src.data);
    task_bind(task, DNNL_ARG_DIFF_WEIGHTS, out.data);
    if (argument_item(frame, "output_mask", 2)) {
        struct view bias = add_result(frame, out.type, 1, &geometry->channels, NULL);
        task_bind(task, DNNL_ARG_DIFF_BIAS, bias.data);
    }
    return task_run(frame, task);
}

static const char *run_backward(struct frame *frame)
{
    struct task *tasks = frame->cache;
    struct geometry geometry;
    struct view gradient;
    const char *problem = NULL;
    take_geometry(frame, &geometry);
    argument_view(frame, "grad_output", &gradient);
    if (argument_item(frame, "output_mask", 0))
        problem = run_data(frame, &tasks[0], &geometry, &gradient);
    else
        add_no_result(frame);
    if (!problem && argument_item(frame, "output_mask", 1))
        problem = run_weights(frame, &tasks[1], &geometry, &gradient);
    while (frame->result_count < 3)
        add_no_result(frame);
    return problem;
}

const struct routine convolution_routines[] = {
    {.base = "convolution",
     .overloads = "default",
     .schema = "input weight bias stride padding dilation transposed output_padding groups",
     .check = check,
     .run = run,
     .forget = task_forget},
    {.base = "convolution_backward",
     .overloads = "default",
     .schema = "grad_output input weight bias_sizes stride padding dilation transposed "
               "output_padding groups output_mask",
     .check = check_backward,
     .run = run_backward,
     .forget = task_forget_two},
    {0},
};

// eltwise: activations and other functions of one element, forward and backward; and of two.
#include <string.h>

#include "task.h"

struct eltwise {
    dnnl_alg_kind_t kind;
    float alpha, beta;                   // if no argument says so
    const char *alpha_name, *beta_name;  // arguments; may be NULL
    const char *data, *gradient;         // arguments; gradient is NULL for the forward operation
    int data_argument;  // DNNL_ARG_SRC, or DNNL_ARG_DST if backward needs the result
};

static dnnl_alg_kind_t kind_of(const struct frame *frame, const struct eltwise *how)
{
    bool by_tanh = strcmp(argument_text(frame, "approximate", "none"), "tanh") == 0;
    return how->kind == dnnl_eltwise_gelu_erf && by_tanh ? dnnl_eltwise_gelu_tanh : how->kind;
}

static dnnl_status_t build(struct frame *frame, const struct eltwise *how, const struct view *data)
{
    struct task *task = task_new(frame, 1);
    struct view dense = task_dense(data), gradient;
    struct description description = {0};
    float alpha = how->alpha, beta = how->beta;
    if (how->alpha_name)
        alpha = (float)argument_real(frame, how->alpha_name, (double)alpha);
    if (how->beta_name)
        beta = (float)argument_real(frame, how->beta_name, (double)beta);
    dnnl_status_t status = description_of(&description, &dense, false);
    struct setting setting = task_setting(frame, task);
    layout own = description_layout(&description);
    dnnl_alg_kind_t kind = kind_of(frame, how);
    if (status == dnnl_success && how->gradient)
        status = describe_eltwise(&setting, kind, own, alpha, beta, FORWARD, &task->hint);
    setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_eltwise(&setting, kind, own, alpha, beta,
                                  how->gradient ? BACKWARD_DATA : FORWARD, &task->description);
    description_done(&description);
    // All memories get the same layout; one with another layout is reordered or copied.
    if (status == dnnl_success)
        status =
            task_add(frame, task, how->data_argument, data, false,
                     how->data_argument == DNNL_ARG_SRC ? dnnl_query_src_md : dnnl_query_dst_md);
    if (status == dnnl_success && how->gradient) {
        argument_view(frame, how->gradient, &gradient);
        status = task_add(frame, task, DNNL_ARG_DIFF_DST, &gradient, false, dnnl_query_diff_dst_md);
    }
    if (status == dnnl_success)
        status = task_add(frame, task, how->gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST,
                          frame->in_place ? data : &dense, true,
                          how->gradient ? dnnl_query_diff_src_md : dnnl_query_dst_md);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check(struct frame *frame)
{
    const struct eltwise *how = frame->routine->how;
    struct view data, gradient;
    if (!argument_view(frame, how->data, &data))
        return "needs a tensor";
    if (how->gradient &&
        (!argument_view(frame, how->gradient, &gradient) || gradient.type != data.type ||
         gradient.ndim != data.ndim ||
         memcmp(gradient.shape, data.shape, (size_t)data.ndim * sizeof *data.shape) != 0))
        return "two types or shapes";
    if (frame->in_place && !task_is_dense(&data))
        return "gaps in memory";
    if (how->kind == dnnl_eltwise_relu && argument_real(frame, "threshold", 0) != 0)
        return "a threshold other than 0";
    if (how->kind == dnnl_eltwise_elu &&
        (argument_real(frame, "scale", 1) != 1 || argument_real(frame, "input_scale", 1) != 1 ||
         argument_integer(frame, "is_result", 0)))
        return "scales or results";
    return task_reason(build(frame, how, &data));
}

static const char *run(struct frame *frame)
{
    const struct eltwise *how = frame->routine->how;
    struct task *task = frame->cache;
    struct view data, gradient;
    argument_view(frame, how->data, &data);
    void *out = data.data;
    if (frame->in_place)
        frame->values[frame->result_count++] = frame->call->arguments[0];
    else
        out = add_result_like(frame, data.type, &data).data;
    task_bind(task, how->data_argument, data.data);
    task_bind(task, how->gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, out);
    if (how->gradient) {
        argument_view(frame, how->gradient, &gradient);
        task_bind(task, DNNL_ARG_DIFF_DST, gradient.data);
    }
    return task_run(frame, task);
}

#define ROW(base_, schema_, in_place_, ...)                                                   \
    {                                                                                         \
        .base = base_, .overloads = "default", .schema = schema_, .check = check, .run = run, \
        .forget = task_forget, .in_place = in_place_, .how = &(const struct eltwise)          \
        {                                                                                     \
            __VA_ARGS__                                                                       \
        }                                                                                     \
    }
#define UNARY(base_, kind_, alpha_, beta_)                                                  \
    ROW(base_, "self", true, .kind = kind_, .alpha = alpha_, .beta = beta_, .data = "self", \
        .data_argument = DNNL_ARG_SRC)
#define BACKWARD(base_, schema_, kind_, data_, argument_, ...)                          \
    ROW(base_, schema_, false, .kind = kind_, .data = data_, .gradient = "grad_output", \
        .data_argument = argument_, __VA_ARGS__)

// hardswish has had two parameters since version 3; version 2 ignores them.

const struct routine eltwise_routines[] = {
    UNARY("relu", dnnl_eltwise_relu, 0, 0),
    UNARY("tanh", dnnl_eltwise_tanh, 0, 0),
    UNARY("sigmoid", dnnl_eltwise_logistic, 0, 0),
    UNARY("silu", dnnl_eltwise_swish, 1, 0),
    UNARY("exp", dnnl_eltwise_exp, 0, 0),
    UNARY("log", dnnl_eltwise_log, 0, 0),
    UNARY("sqrt", dnnl_eltwise_sqrt, 0, 0),
    UNARY("abs", dnnl_eltwise_abs, 0, 0),
    UNARY("hardswish", dnnl_eltwise_hardswish, 1.0f / 6, .5f),
    ROW("gelu", "self approximate", true, .kind = dnnl_eltwise_gelu_erf, .data = "self",
        .data_argument = DNNL_ARG_SRC),
    ROW("elu", "self alpha scale input_scale", true, .kind = dnnl_eltwise_elu, .alpha = 1,
        .alpha_name = "alpha", .data = "self", .data_argument = DNNL_ARG_SRC),
    ROW("leaky_relu", "self negative_slope", true, .kind = dnnl_eltwise_relu, .alpha = .01f,
        .alpha_name = "negative_slope", .data = "self", .data_argument = DNNL_ARG_SRC),
    ROW("hardtanh", "self min_val max_val", true, .kind = dnnl_eltwise_clip, .alpha = -1, .beta = 1,
        .alpha_name = "min_val", .beta_name = "max_val", .data = "self",
        .data_argument = DNNL_ARG_SRC),
    BACKWARD("threshold_backward", "grad_output self threshold", dnnl_eltwise_relu, "self",
             DNNL_ARG_SRC, .alpha = 0),
    BACKWARD("gelu_backward", "grad_output self approximate", dnnl_eltwise_gelu_erf, "self",
             DNNL_ARG_SRC, .alpha = 0),
    BACKWARD("silu_backward", "grad_output self", dnnl_eltwise_swish, "self", DNNL_ARG_SRC,
             .alpha = 1),
    BACKWARD("hardswish_backward", "grad_output self", dnnl_eltwise_hardswish, "self", DNNL_ARG_SRC,
             .alpha = 1.0f / 6, .beta = .5f),
    BACKWARD("leaky_relu_backward", "grad_output self negative_slope self_is_result",
             dnnl_eltwise_relu, "self", DNNL_ARG_SRC, .alpha_name = "negative_slope"),
    BACKWARD("elu_backward", "grad_output alpha scale input_scale is_result self_or_result",
             dnnl_eltwise_elu, "self_or_result", DNNL_ARG_SRC, .alpha_name = "alpha"),
    BACKWARD("sigmoid_backward", "grad_output output", dnnl_eltwise_logistic_use_dst_for_bwd,
             "output", DNNL_ARG_DST, .alpha = 0),
    BACKWARD("tanh_backward", "grad_output output", dnnl_eltwise_tanh_use_dst_for_bwd, "output",
             DNNL_ARG_DST, .alpha = 0),
    {0},
};

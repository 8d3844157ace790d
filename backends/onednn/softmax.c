// softmax: softmax and its logarithm, forward and backward.
#include <string.h>

#include "task.h"

struct softmax {
    dnnl_alg_kind_t kind;
    const char *data, *gradient;  // arguments; gradient is NULL for the forward operation
};

static dnnl_status_t build(struct frame *frame, const struct softmax *how, const struct view *data)
{
    struct task *task = task_new(frame, 1);
    struct view dense = task_dense(data), gradient;
    struct description description = {0};
    int axis = view_dimension(data, argument_integer(frame, "dim", 0));
    dnnl_status_t status = description_of(&description, &dense, false);
    struct setting setting = task_setting(frame, task);
    layout own = description_layout(&description);
    if (status == dnnl_success && how->gradient)
        status = describe_softmax(&setting, how->kind, own, axis, FORWARD, &task->hint);
    setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_softmax(&setting, how->kind, own, axis,
                                  how->gradient ? BACKWARD_DATA : FORWARD, &task->description);
    description_done(&description);
    if (status == dnnl_success)
        status = task_add(frame, task, how->gradient ? DNNL_ARG_DST : DNNL_ARG_SRC, data, false,
                          how->gradient ? dnnl_query_dst_md : dnnl_query_src_md);
    if (status == dnnl_success && how->gradient) {
        argument_view(frame, how->gradient, &gradient);
        status = task_add(frame, task, DNNL_ARG_DIFF_DST, &gradient, false, dnnl_query_diff_dst_md);
    }
    if (status == dnnl_success)
        status = task_add(frame, task, how->gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, &dense,
                          true, how->gradient ? dnnl_query_diff_src_md : dnnl_query_dst_md);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check(struct frame *frame)
{
    const struct softmax *how = frame->routine->how;
    struct view data, gradient;
    if (!argument_view(frame, how->data, &data) || data.ndim == 0)
        return "needs a tensor with dimensions";
    if (how->gradient && (!argument_view(frame, how->gradient, &gradient) ||
                          gradient.type != data.type || gradient.ndim != data.ndim))
        return "two types or shapes";
    if (argument_integer(frame, "half_to_float", 0) ||
        argument_type(frame, "input_dtype", data.type) != data.type)
        return "a result of another type";
    return task_reason(build(frame, how, &data));
}

static const char *run(struct frame *frame)
{
    const struct softmax *how = frame->routine->how;
    struct task *task = frame->cache;
    struct view data, gradient;
    argument_view(frame, how->data, &data);
    struct view out = add_result_like(frame, data.type, &data);
    task_bind(task, how->gradient ? DNNL_ARG_DST : DNNL_ARG_SRC, data.data);
    task_bind(task, how->gradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, out.data);
    if (how->gradient) {
        argument_view(frame, how->gradient, &gradient);
        task_bind(task, DNNL_ARG_DIFF_DST, gradient.data);
    }
    return task_run(frame, task);
}

#define ROW(base_, schema_, ...)                                                              \
    {                                                                                         \
        .base = base_, .overloads = "default", .schema = schema_, .check = check, .run = run, \
        .forget = task_forget, .how = &(const struct softmax)                                 \
        {                                                                                     \
            __VA_ARGS__                                                                       \
        }                                                                                     \
    }

const struct routine softmax_routines[] = {
    ROW("_softmax", "self dim half_to_float", dnnl_softmax_accurate, "self", NULL),
    ROW("_log_softmax", "self dim half_to_float", dnnl_softmax_log, "self", NULL),
    ROW("_softmax_backward_data", "grad_output output dim input_dtype", dnnl_softmax_accurate,
        "output", "grad_output"),
    ROW("_log_softmax_backward_data", "grad_output output dim input_dtype", dnnl_softmax_log,
        "output", "grad_output"),
    {0},
};

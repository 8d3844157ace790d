// pooling: averages over windows, forward and backward.
//
// oneDNN does not return the indices of the largest elements, so there is no
// max_pool2d_with_indices.
#include <string.h>

#include "task.h"

enum { SPACE = 2 };

struct windows {
    struct view src, dst;
    struct pooling what;  // without layouts
};

static void take_pair(const struct frame *frame, const char *name, const int64_t *otherwise,
                      int64_t *out)
{
    int64_t found[BILANX_MAX_DIMENSIONS];
    int count = argument_integers(frame, name, found);
    for (int d = 0; d < SPACE; d++)
        out[d] = count == 0 ? otherwise[d] : found[count == 1 ? 0 : d];
}

static const char *take_windows(const struct frame *frame, struct windows *out)
{
    struct windows windows = {0};
    const int64_t zeros[SPACE] = {0};
    int64_t kernel[SPACE], strides[SPACE], paddings[SPACE];
    if (!argument_view(frame, "self", &windows.src) || windows.src.ndim != SPACE + 2)
        return "dimensions other than 4";
    take_pair(frame, "kernel_size", zeros, kernel);
    take_pair(frame, "stride", kernel, strides);
    take_pair(frame, "padding", zeros, paddings);
    bool rounds_up = argument_integer(frame, "ceil_mode", 0);
    bool counts_padding = argument_integer(frame, "count_include_pad", 1);
    if (has_argument(frame, "divisor_override"))
        return "a divisor of its own";
    struct view shape = windows.src;
    for (int d = 0; d < SPACE; d++) {
        if (strides[d] < 1 || kernel[d] < 1 || paddings[d] < 0)
            return "sizes below 1";
        int64_t in = shape.shape[d + 2], room = in + 2 * paddings[d] - kernel[d];
        int64_t size = (room + (rounds_up ? strides[d] - 1 : 0)) / strides[d] + 1;
        // A window must begin in the input or its left padding.
        if (rounds_up && (size - 1) * strides[d] >= in + paddings[d])
            size--;
        windows.what.kernel[d] = kernel[d];
        windows.what.strides[d] = strides[d];
        windows.what.left[d] = paddings[d];
        windows.what.right[d] = (size - 1) * strides[d] + kernel[d] - in - paddings[d];
        if (windows.what.right[d] < 0)
            windows.what.right[d] = 0;
        if (counts_padding && windows.what.right[d] > paddings[d])
            return "windows that reach beyond the padding";
        shape.shape[d + 2] = size;
    }
    windows.what.kind = counts_padding && (paddings[0] || paddings[1])
                            ? dnnl_pooling_avg_include_padding
                            : dnnl_pooling_avg_exclude_padding;
    windows.dst = task_dense(&shape);
    *out = windows;
    return NULL;
}

static dnnl_status_t describe(const struct frame *frame, struct task *task,
                              const struct windows *windows, enum direction direction,
                              dnnl_primitive_desc_t *out)
{
    struct description src = {0}, dst = {0};
    struct view dense = task_dense(&windows->src);
    struct pooling what = windows->what;
    dnnl_status_t status = description_of(&src, &dense, false);
    if (status == dnnl_success)
        status = description_of(&dst, &windows->dst, false);
    what.src = description_layout(&src);
    what.dst = description_layout(&dst);
    struct setting setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_pooling(&setting, &what, direction, out);
    description_done(&src);
    description_done(&dst);
    return status;
}

static const char *check(struct frame *frame)
{
    struct windows windows;
    const char *problem = take_windows(frame, &windows);
    if (problem)
        return problem;
    struct task *task = task_new(frame, 1);
    dnnl_status_t status = describe(frame, task, &windows, FORWARD, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &windows.src, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DST, &windows.dst, true, dnnl_query_dst_md);
    return task_reason(status == dnnl_success ? task_finish(task) : status);
}

static const char *run(struct frame *frame)
{
    struct windows windows;
    take_windows(frame, &windows);
    const struct view *dst = &windows.dst;
    struct view out = add_result(frame, dst->type, dst->ndim, dst->shape, dst->strides);
    task_bind(frame->cache, DNNL_ARG_SRC, windows.src.data);
    task_bind(frame->cache, DNNL_ARG_DST, out.data);
    return task_run(frame, frame->cache);
}

static const char *check_backward(struct frame *frame)
{
    struct windows windows;
    struct view gradient;
    const char *problem = take_windows(frame, &windows);
    if (problem)
        return problem;
    if (!argument_view(frame, "grad_output", &gradient) || gradient.ndim != windows.dst.ndim ||
        memcmp(gradient.shape, windows.dst.shape, (size_t)gradient.ndim * sizeof(int64_t)) != 0)
        return "a gradient of another shape";
    struct task *task = task_new(frame, 1);
    struct view out = task_dense(&windows.src);
    dnnl_status_t status = describe(frame, task, &windows, FORWARD, &task->hint);
    if (status == dnnl_success)
        status = describe(frame, task, &windows, BACKWARD_DATA, &task->description);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_DST, &gradient, false, dnnl_query_diff_dst_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DIFF_SRC, &out, true, dnnl_query_diff_src_md);
    return task_reason(status == dnnl_success ? task_finish(task) : status);
}

static const char *run_backward(struct frame *frame)
{
    struct view src, gradient;
    argument_view(frame, "self", &src);
    argument_view(frame, "grad_output", &gradient);
    struct view out = add_result_like(frame, src.type, &src);
    task_bind(frame->cache, DNNL_ARG_DIFF_DST, gradient.data);
    task_bind(frame->cache, DNNL_ARG_DIFF_SRC, out.data);
    return task_run(frame, frame->cache);
}

const struct routine pooling_routines[] = {
    {.base = "avg_pool2d",
     .overloads = "default",
     .schema = "self kernel_size stride padding ceil_mode count_include_pad divisor_override",
     .check = check,
     .run = run,
     .forget = task_forget},
    {.base = "avg_pool2d_backward",
     .overloads = "default",
     .schema = "grad_output self kernel_size stride padding ceil_mode count_include_pad "
               "divisor_override",
     .check = check_backward,
     .run = run_backward,
     .forget = task_forget},
    {0},
};

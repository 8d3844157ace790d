// pooling: largest elements and averages of windows, forward and backward.
#include <string.h>

#include "tables.h"

static struct view with_samples(const struct view *view)
{
    return view->ndim == 4 ? *view : view_insert(view, 0, 1, 0);
}

static struct kernel *start(struct plan *plan, const struct windows *windows, enum pooling pooling)
{
    struct view input = with_samples(&windows->input);
    int64_t shape[] = {input.shape[0], input.shape[1], windows->out[0], windows->out[1]};
    struct kernel *kernel = plan_kernel(plan, input.type, 4, shape);
    kernel->pooling = pooling;
    kernel->windows = *windows;
    return kernel;
}

// Images of this size in the layout of `like`.
static int add_images(struct plan *plan, const struct dtype *type, const struct view *like,
                      const int64_t *shape, int64_t *strides)
{
    struct view images = *like;
    memcpy(images.shape, shape, (size_t)like->ndim * sizeof *shape);
    int pointer = plan_result_like(plan, type, &images);
    struct view result = {.ndim = like->ndim};
    memcpy(result.strides, plan->results[plan->result_count - 1].strides, sizeof result.strides);
    result = with_samples(&result);
    memcpy(strides, result.strides, sizeof result.strides);
    return pointer;
}

static const char *plan_forward(struct frame *frame)
{
    struct windows windows;
    const char *problem = take_windows(frame, &windows);
    if (problem)
        return problem;
    bool largest = strstr(frame->routine->base, "max");
    struct plan *plan = plan_new(frame);
    struct kernel *kernel = start(plan, &windows, largest ? POOL_LARGEST : POOL_AVERAGE);
    struct view x = with_samples(&windows.input);
    kernel_input(kernel, "x", x.type, plan_pointer(plan, &x), x.strides);
    int64_t strides[BILANX_MAX_DIMENSIONS];
    const struct dtype *types[] = {x.type, dtype_find("i64")};
    for (int i = 0; i < (largest ? 2 : 1); i++) {
        int pointer = add_images(plan, types[i], &windows.input, windows.shape, strides);
        kernel_output(kernel, types[i], pointer, strides);
    }
    return NULL;
}

static const char *plan_backward(struct frame *frame)
{
    struct windows windows;
    struct view gradient, indices = {0};
    const char *problem = take_windows(frame, &windows);
    if (problem)
        return problem;
    bool largest = strstr(frame->routine->base, "max");
    argument_view(frame, "grad_output", &gradient);
    if (gradient.ndim != windows.input.ndim ||
        memcmp(gradient.shape, windows.shape, (size_t)gradient.ndim * sizeof *gradient.shape) != 0)
        return "a gradient of another shape";
    if (gradient.type->size < 4)
        return "half types";
    struct plan *plan = plan_new(frame);
    struct kernel *kernel =
        start(plan, &windows, largest ? POOL_LARGEST_BACKWARD : POOL_AVERAGE_BACKWARD);
    gradient = with_samples(&gradient);
    kernel_input(kernel, "gradient", gradient.type, plan_pointer(plan, &gradient),
                 gradient.strides);
    if (largest) {
        argument_view(frame, "indices", &indices);
        if (indices.ndim != windows.input.ndim || indices.type != dtype_find("i64") ||
            memcmp(indices.shape, windows.shape, (size_t)indices.ndim * sizeof *indices.shape) != 0)
            return "indices of another shape";
        indices = with_samples(&indices);
        kernel_input(kernel, "index", indices.type, plan_pointer(plan, &indices), indices.strides);
    }
    int64_t strides[BILANX_MAX_DIMENSIONS];
    struct view contiguous = windows.input;
    int64_t stride = 1;
    for (int d = contiguous.ndim - 1; d >= 0; stride *= contiguous.shape[d--])
        contiguous.strides[d] = stride;
    int pointer = add_images(plan, gradient.type, &contiguous, contiguous.shape, strides);
    kernel_output(kernel, gradient.type, pointer, strides);
    return NULL;
}

const struct routine pooling_routines[] = {
    PLANNED("max_pool2d_with_indices", "self kernel_size stride padding dilation ceil_mode", "self",
            plan_forward),
    PLANNED("max_pool2d_with_indices_backward",
            "grad_output self kernel_size stride padding dilation ceil_mode indices",
            "grad_output self indices", plan_backward),
    PLANNED("avg_pool2d",
            "self kernel_size stride padding ceil_mode count_include_pad divisor_override", "self",
            plan_forward),
    PLANNED(
        "avg_pool2d_backward",
        "grad_output self kernel_size stride padding ceil_mode count_include_pad divisor_override",
        "grad_output self", plan_backward),
    {0},
};

// windows: sizes and places of windows, from the arguments of a pooling operator.
#include "windows.h"

#include <string.h>

static void take_pair(const struct frame *frame, const char *name, const int64_t *otherwise,
                      int64_t *out)
{
    int64_t found[BILANX_MAX_DIMENSIONS];
    int count = argument_integers(frame, name, found);
    for (int d = 0; d < SPACE; d++)
        out[d] = count == 0 ? otherwise[d] : found[count == 1 ? 0 : d];
}

const char *take_windows(const struct frame *frame, struct windows *windows)
{
    const int64_t zeros[] = {0, 0}, ones[] = {1, 1};
    *windows = (struct windows){0};
    struct view *input = &windows->input;
    if (!argument_view(frame, "self", input) || input->ndim < 3 || input->ndim > 4)
        return "dimensions other than 3 or 4";
    if (input->type->kind != DTYPE_REAL)
        return "integers";
    take_pair(frame, "kernel_size", ones, windows->kernel);
    take_pair(frame, "stride", windows->kernel, windows->stride);
    take_pair(frame, "padding", zeros, windows->padding);
    take_pair(frame, "dilation", ones, windows->dilation);
    windows->counts_padding = argument_integer(frame, "count_include_pad", 1);
    windows->divisor = argument_integer(frame, "divisor_override", 0);
    bool rounds_up = argument_integer(frame, "ceil_mode", 0);
    memcpy(windows->shape, input->shape, sizeof windows->shape);
    for (int d = 0; d < SPACE; d++) {
        int64_t size = windows->in[d] = input->shape[input->ndim - SPACE + d];
        int64_t stride = windows->stride[d], padding = windows->padding[d];
        if (stride < 1 || windows->kernel[d] < 1 || padding < 0)
            return "sizes below 1";
        int64_t reach = windows->dilation[d] * (windows->kernel[d] - 1) + 1;
        int64_t out = (size + 2 * padding - reach + (rounds_up ? stride - 1 : 0)) / stride + 1;
        // A window must begin in the input or its left padding.
        if (rounds_up && (out - 1) * stride >= size + padding)
            out--;
        windows->out[d] = windows->shape[input->ndim - SPACE + d] = out;
        if (out < 1)
            return "no elements";
    }
    return NULL;
}

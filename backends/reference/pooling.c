// pooling: largest elements and averages of windows, forward and backward.
#include <math.h>
#include <string.h>

#include "backends/common/windows.h"
#include "tables.h"

static uint32_t planes(const struct view *view)
{
    return 3u << (view->ndim - SPACE);
}

static int64_t area(const int64_t *sizes)
{
    return sizes[0] * sizes[1];
}

// Calls `visit` for every element of the window at a position.
typedef void visitor(void *state, int64_t position, int64_t element);

static void visit_window(const struct windows *windows, int64_t position, visitor *visit,
                         void *state)
{
    int64_t top = position / windows->out[1] * windows->stride[0] - windows->padding[0];
    int64_t left = position % windows->out[1] * windows->stride[1] - windows->padding[1];
    for (int64_t i = 0; i < windows->kernel[0]; i++)
        for (int64_t j = 0; j < windows->kernel[1]; j++) {
            int64_t row = top + i * windows->dilation[0], column = left + j * windows->dilation[1];
            if (row >= 0 && row < windows->in[0] && column >= 0 && column < windows->in[1])
                visit(state, position, row * windows->in[1] + column);
        }
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

// Returns the divisor of a sum over a window. Padding counts, but nothing beyond it.
static double divisor(const struct windows *windows, int64_t position)
{
    int64_t at[] = {position / windows->out[1], position % windows->out[1]}, size = 1;
    for (int d = 0; d < SPACE; d++) {
        int64_t start = at[d] * windows->stride[d] - windows->padding[d];
        int64_t end = least(start + windows->kernel[d], windows->in[d] + windows->padding[d]);
        if (!windows->counts_padding) {
            start = start > 0 ? start : 0;
            end = least(end, windows->in[d]);
        }
        size *= end - start;
    }
    return (double)(windows->divisor ? windows->divisor : size);
}

struct plane {
    const double *in;
    double *out;
    int64_t best;
};

static void note_largest(void *state, int64_t position, int64_t element)
{
    struct plane *plane = state;
    (void)position;
    if (plane->best < 0 || plane->in[element] > plane->in[plane->best] || isnan(plane->in[element]))
        plane->best = element;
}

static void add_element(void *state, int64_t position, int64_t element)
{
    struct plane *plane = state;
    plane->out[position] += plane->in[element];
}

static void spread_element(void *state, int64_t position, int64_t element)
{
    struct plane *plane = state;
    plane->out[element] += plane->in[position];
}

static double *room(struct frame *frame, int64_t count)
{
    return scratch(frame, (size_t)count * sizeof(double));
}

static const char *largest(struct frame *frame)
{
    struct windows windows;
    take_windows(frame, &windows);
    const struct view *in = &windows.input;
    struct view out = add_result(frame, in->type, in->ndim, windows.shape, NULL);
    struct view indices = add_result(frame, dtype_find("i64"), in->ndim, windows.shape, NULL);
    struct slices from;
    slices_init(&from, in, planes(in));
    int64_t positions = area(windows.out);
    double *image = room(frame, from.length);
    for (int64_t i = 0; i < from.count; i++) {
        slices_load_reals(&from, i, image);
        for (int64_t p = 0; p < positions; p++) {
            struct plane plane = {.in = image, .best = -1};
            visit_window(&windows, p, note_largest, &plane);
            int64_t at = i * positions + p;
            store_reals(out.type, out.data + at * (int64_t)out.type->size, 1, 1,
                        &image[plane.best]);
            store_integers(indices.type, indices.data + at * 8, 1, 1, &plane.best);
        }
    }
    return NULL;
}

static const char *largest_backward(struct frame *frame)
{
    struct windows windows;
    struct view gradient, indices;
    take_windows(frame, &windows);
    argument_view(frame, "grad_output", &gradient);
    argument_view(frame, "indices", &indices);
    const struct view *in = &windows.input;
    struct view out = add_result(frame, in->type, in->ndim, in->shape, NULL);
    struct slices from, places, to;
    slices_init(&from, &gradient, planes(&gradient));
    slices_init(&places, &indices, planes(&indices));
    slices_init(&to, &out, planes(&out));
    double *values = room(frame, from.length), *image = room(frame, to.length);
    int64_t *place = scratch(frame, (size_t)places.length * sizeof *place);
    for (int64_t i = 0; i < from.count; i++) {
        slices_load_reals(&from, i, values);
        slices_load_integers(&places, i, place);
        memset(image, 0, (size_t)to.length * sizeof *image);
        for (int64_t p = 0; p < from.length; p++) {
            if (place[p] < 0 || place[p] >= to.length)
                return "an index is out of range";
            image[place[p]] += values[p];
        }
        slices_store_reals(&to, i, image);
    }
    return NULL;
}

static const char *average(struct frame *frame)
{
    struct windows windows;
    take_windows(frame, &windows);
    const struct view *in = &windows.input;
    struct view out = add_result(frame, in->type, in->ndim, windows.shape, NULL);
    struct slices from, to;
    slices_init(&from, in, planes(in));
    slices_init(&to, &out, planes(&out));
    double *image = room(frame, from.length), *sums = room(frame, to.length);
    for (int64_t i = 0; i < from.count; i++) {
        struct plane plane = {.in = image, .out = sums};
        slices_load_reals(&from, i, image);
        memset(sums, 0, (size_t)to.length * sizeof *sums);
        for (int64_t p = 0; p < to.length; p++) {
            visit_window(&windows, p, add_element, &plane);
            sums[p] /= divisor(&windows, p);
        }
        slices_store_reals(&to, i, sums);
    }
    return NULL;
}

static const char *average_backward(struct frame *frame)
{
    struct windows windows;
    struct view gradient;
    take_windows(frame, &windows);
    argument_view(frame, "grad_output", &gradient);
    const struct view *in = &windows.input;
    struct view out = add_result(frame, in->type, in->ndim, in->shape, NULL);
    struct slices from, to;
    slices_init(&from, &gradient, planes(&gradient));
    slices_init(&to, &out, planes(&out));
    double *values = room(frame, from.length), *image = room(frame, to.length);
    for (int64_t i = 0; i < from.count; i++) {
        struct plane plane = {.in = values, .out = image};
        slices_load_reals(&from, i, values);
        memset(image, 0, (size_t)to.length * sizeof *image);
        for (int64_t p = 0; p < from.length; p++) {
            values[p] /= divisor(&windows, p);
            visit_window(&windows, p, spread_element, &plane);
        }
        slices_store_reals(&to, i, image);
    }
    return NULL;
}

static bool fits(const struct frame *frame, const char *name, const struct windows *windows)
{
    struct view view;
    int ndim = windows->input.ndim;
    return !argument_view(frame, name, &view) ||
           (view.ndim == ndim &&
            memcmp(view.shape, windows->shape, (size_t)ndim * sizeof *view.shape) == 0);
}

static const char *check(struct frame *frame)
{
    struct windows windows;
    const char *problem = take_windows(frame, &windows);
    if (problem)
        return problem;
    if (!fits(frame, "grad_output", &windows))
        return "a gradient of another shape";
    return fits(frame, "indices", &windows) ? NULL : "indices of another shape";
}

#define ROW(base_, schema_, needs_, run_) \
    {.base = base_,                       \
     .overloads = "default",              \
     .schema = schema_,                   \
     .needs = needs_,                     \
     .check = check,                      \
     .run = run_}

const struct routine pooling_routines[] = {
    ROW("max_pool2d_with_indices", "self kernel_size stride padding dilation ceil_mode", "self",
        largest),
    ROW("max_pool2d_with_indices_backward",
        "grad_output self kernel_size stride padding dilation ceil_mode indices",
        "grad_output self indices", largest_backward),
    ROW("avg_pool2d",
        "self kernel_size stride padding ceil_mode count_include_pad divisor_override", "self",
        average),
    ROW("avg_pool2d_backward",
        "grad_output self kernel_size stride padding ceil_mode count_include_pad divisor_override",
        "grad_output self", average_backward),
    {0},
};

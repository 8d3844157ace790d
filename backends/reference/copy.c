// copy: operators that move elements without computing anything.
#include <string.h>

#include "backends/common/conventions.h"
#include "tables.h"

static const char *clone(struct frame *frame)
{
    struct view x;
    int64_t strides[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    const struct dtype *type = argument_type(frame, "dtype", x.type);
    struct view out = add_result(frame, type, x.ndim, x.shape, format_strides(frame, &x, strides));
    view_copy(&out, &x);
    return NULL;
}

static const char *contiguous(struct frame *frame)
{
    struct view x;
    argument_view(frame, "self", &x);
    if (view_is_contiguous(&x)) {
        add_argument_result(frame, "self");
        return NULL;
    }
    struct view out = add_result(frame, x.type, x.ndim, x.shape, NULL);
    view_copy(&out, &x);
    return NULL;
}

static const char *copy_into(struct frame *frame)
{
    struct view to, from;
    argument_view(frame, "self", &to);
    argument_view(frame, "src", &from);
    from = view_broadcast(&from, to.ndim, to.shape);
    view_copy(&to, &from);
    add_argument_result(frame, "self");
    return NULL;
}

static const char *cat(struct frame *frame)
{
    const struct bilanx_value *list = argument(frame, "tensors");
    struct view shape = list_view(list, 0);
    for (size_t i = 0; i < list->count && !counts_in_cat(&shape); i++)
        shape = list_view(list, i);
    int dimension = view_dimension(&shape, argument_integer(frame, "dim", 0));
    if (shape.ndim > 0)
        shape.shape[dimension] = 0;
    for (size_t i = 0; i < list->count && shape.ndim > 0; i++) {
        struct view part = list_view(list, i);
        shape.shape[dimension] += counts_in_cat(&part) ? part.shape[dimension] : 0;
    }
    struct view out = add_result(frame, shape.type, shape.ndim, shape.shape, NULL);
    int64_t start = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct view part = list_view(list, i);
        if (!counts_in_cat(&part))
            continue;
        struct view to = view_narrow(&out, dimension, start, part.shape[dimension]);
        view_copy(&to, &part);
        start += part.shape[dimension];
    }
    return NULL;
}

static const char *stack(struct frame *frame)
{
    const struct bilanx_value *list = argument(frame, "tensors");
    struct view shape = list_view(list, 0);
    int64_t at = argument_integer(frame, "dim", 0);
    int dimension = (int)(at < 0 ? at + shape.ndim + 1 : at);
    shape = view_insert(&shape, dimension, (int64_t)list->count, 0);
    struct view out = add_result(frame, shape.type, shape.ndim, shape.shape, NULL);
    for (size_t i = 0; i < list->count; i++) {
        struct view part = list_view(list, i), to = view_select(&out, dimension, (int64_t)i);
        view_copy(&to, &part);
    }
    return NULL;
}

static struct view zeros(struct frame *frame, const struct dtype *type, const char *sizes)
{
    int64_t shape[BILANX_MAX_DIMENSIONS];
    int ndim = argument_integers(frame, sizes, shape);
    struct view out = add_result(frame, type, ndim, shape, NULL);
    view_fill(&out, 0);
    return out;
}

static int64_t bounded(int64_t place, int64_t size)
{
    place = place < 0 ? place + size : place;
    return place < 0 ? 0 : place > size ? size : place;
}

static const char *slice_backward(struct frame *frame)
{
    struct view gradient;
    argument_view(frame, "grad_output", &gradient);
    struct view out = zeros(frame, gradient.type, "input_sizes");
    int dimension = view_dimension(&out, argument_integer(frame, "dim", 0));
    int64_t step = argument_integer(frame, "step", 1);
    int64_t start = bounded(argument_integer(frame, "start", 0), out.shape[dimension]);
    struct view part = view_narrow(&out, dimension, start, gradient.shape[dimension]);
    part.strides[dimension] *= step;
    view_copy(&part, &gradient);
    return NULL;
}

static const char *select_backward(struct frame *frame)
{
    struct view gradient;
    argument_view(frame, "grad_output", &gradient);
    struct view out = zeros(frame, gradient.type, "input_sizes");
    int dimension = view_dimension(&out, argument_integer(frame, "dim", 0));
    int64_t index = bounded(argument_integer(frame, "index", 0), out.shape[dimension]);
    struct view part = view_select(&out, dimension, index);
    view_copy(&part, &gradient);
    return NULL;
}

// Negative padding removes elements. The first pair is for the last dimension.
static const char *pad(struct frame *frame)
{
    struct view x;
    int64_t pads[2 * BILANX_MAX_DIMENSIONS] = {0};
    argument_view(frame, "self", &x);
    int count = argument_integers(frame, "pad", pads);
    struct view shape = x;
    for (int i = 0; i + 1 < count; i += 2) {
        int64_t *size = &shape.shape[x.ndim - 1 - i / 2];
        int64_t removed = (pads[i] < 0 ? -pads[i] : 0) + (pads[i + 1] < 0 ? -pads[i + 1] : 0);
        if (removed > *size)
            return "negative padding removes more elements than the dimension has";
        *size += pads[i] + pads[i + 1];
    }
    struct view out = add_result(frame, x.type, x.ndim, shape.shape, NULL), to = out;
    view_fill(&out, argument_real(frame, "value", 0));
    for (int i = 0; i + 1 < count; i += 2) {
        int d = x.ndim - 1 - i / 2;
        int64_t before = pads[i], skipped = before < 0 ? -before : 0;
        int64_t start = before > 0 ? before : 0;
        int64_t length = x.shape[d] - skipped - (pads[i + 1] < 0 ? -pads[i + 1] : 0);
        x = view_narrow(&x, d, skipped, length);
        to = view_narrow(&to, d, start, length);
    }
    view_copy(&to, &x);
    return NULL;
}

static const char *flip(struct frame *frame)
{
    struct view x;
    int64_t dims[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    struct view out = add_result_like(frame, x.type, &x);
    int count = argument_integers(frame, "dims", dims);
    for (int i = 0; i < count && view_count(&out) > 0; i++) {
        int d = view_dimension(&x, dims[i]);
        x = view_narrow(&x, d, x.shape[d] - 1, x.shape[d]);
        x.strides[d] = -x.strides[d];
    }
    view_copy(&out, &x);
    return NULL;
}

// One dimension at a time: elements that leave at one end enter at the other.
static void roll_into(const struct view *to, const struct view *from, const int64_t *shifts,
                      const int64_t *dims, int count)
{
    if (count == 0) {
        view_copy(to, from);
        return;
    }
    int d = view_dimension(to, dims[0]);
    int64_t size = to->shape[d], shift = size ? (shifts[0] % size + size) % size : 0;
    struct view first = view_narrow(to, d, shift, size - shift);
    struct view first_from = view_narrow(from, d, 0, size - shift);
    struct view second = view_narrow(to, d, 0, shift);
    struct view second_from = view_narrow(from, d, size - shift, shift);
    roll_into(&first, &first_from, shifts + 1, dims + 1, count - 1);
    roll_into(&second, &second_from, shifts + 1, dims + 1, count - 1);
}

static const char *roll(struct frame *frame)
{
    struct view x;
    int64_t shifts[BILANX_MAX_DIMENSIONS], dims[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    int count = argument_integers(frame, "shifts", shifts);
    argument_integers(frame, "dims", dims);
    struct view out = add_result(frame, x.type, x.ndim, x.shape, NULL);
    roll_into(&out, &x, shifts, dims, count);
    return NULL;
}

static const char *check_roll(struct frame *frame)
{
    int64_t dims[BILANX_MAX_DIMENSIONS];
    return argument_integers(frame, "dims", dims) ? NULL : "without dimensions";
}

// The result as a view of twice the dimensions: times and size, times and size.
static const char *repeat(struct frame *frame)
{
    struct view x;
    int64_t times[BILANX_MAX_DIMENSIONS], shape[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    int ndim = argument_integers(frame, "repeats", times);
    for (int d = 0; d < ndim; d++)
        shape[d] = (d < ndim - x.ndim ? 1 : x.shape[d - (ndim - x.ndim)]) * times[d];
    struct view out = add_result(frame, x.type, ndim, shape, NULL), to = out, from = x;
    to.ndim = from.ndim = 2 * ndim;
    for (int d = 0; d < ndim; d++) {
        int own = d - (ndim - x.ndim);
        int64_t size = own < 0 ? 1 : x.shape[own];
        to.shape[2 * d] = from.shape[2 * d] = times[d];
        to.shape[2 * d + 1] = from.shape[2 * d + 1] = size;
        to.strides[2 * d] = out.strides[d] * size;
        to.strides[2 * d + 1] = out.strides[d];
        from.strides[2 * d] = 0;
        from.strides[2 * d + 1] = own < 0 ? 0 : x.strides[own];
    }
    view_copy(&to, &from);
    return NULL;
}

static const char *check_repeat(struct frame *frame)
{
    int64_t times[BILANX_MAX_DIMENSIONS];
    return argument_integers(frame, "repeats", times) > BILANX_MAX_DIMENSIONS / 2
               ? "too many dimensions"
               : NULL;
}

// triu keeps columns from row + diagonal on, tril those up to it.
static const char *triangle(struct frame *frame)
{
    struct view x;
    argument_view(frame, "self", &x);
    bool upper = frame->routine->base[3] == 'u';
    int64_t diagonal = argument_integer(frame, "diagonal", 0), columns = x.shape[x.ndim - 1];
    struct view out = add_result(frame, x.type, x.ndim, x.shape, NULL);
    view_fill(&out, 0);
    for (int64_t row = 0; row < x.shape[x.ndim - 2]; row++) {
        int64_t edge = row + diagonal + (upper ? 0 : 1);
        edge = edge < 0 ? 0 : edge > columns ? columns : edge;
        struct view from = view_select(&x, x.ndim - 2, row),
                    to = view_select(&out, x.ndim - 2, row);
        int64_t start = upper ? edge : 0, length = upper ? columns - edge : edge;
        from = view_narrow(&from, from.ndim - 1, start, length);
        to = view_narrow(&to, to.ndim - 1, start, length);
        view_copy(&to, &from);
    }
    return NULL;
}

#define ROW(base_, schema_, ...) \
    {.base = base_, .overloads = "default", .schema = schema_, __VA_ARGS__}

const struct routine copy_routines[] = {
    ROW("clone", "self memory_format", .needs = "self", .run = clone),
    ROW("_to_copy", "self dtype layout device pin_memory non_blocking memory_format",
        .needs = "self", .run = clone),
    ROW("lift_fresh_copy", "self", .needs = "self", .run = clone),
    ROW("contiguous", "self memory_format", .needs = "self", .run = contiguous),
    ROW("copy_", "self src non_blocking", .needs = "self src", .run = copy_into, .in_place = true),
    ROW("cat", "tensors dim", .check = check_list_of_tensors, .run = cat),
    ROW("stack", "tensors dim", .check = check_list_of_tensors, .run = stack),
    ROW("slice_backward", "grad_output input_sizes dim start end step", .needs = "grad_output",
        .run = slice_backward),
    ROW("select_backward", "grad_output input_sizes dim index", .needs = "grad_output",
        .run = select_backward),
    ROW("constant_pad_nd", "self pad value", .needs = "self", .run = pad),
    ROW("flip", "self dims", .needs = "self", .run = flip),
    ROW("roll", "self shifts dims", .needs = "self", .check = check_roll, .run = roll),
    ROW("repeat", "self repeats", .needs = "self", .check = check_repeat, .run = repeat),
    ROW("triu", "self diagonal", .needs = "self", .run = triangle),
    ROW("tril", "self diagonal", .needs = "self", .run = triangle),
    {0},
};

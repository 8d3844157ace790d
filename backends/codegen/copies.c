// copies: operators that move elements: clones, casts, cat, stack, padding, flips, repeats.
//
// Each becomes kernels that store their only operand. If the types are equal, elements are moved
// unchanged.
#include <string.h>

#include "backends/common/conventions.h"
#include "tables.h"

// Elements of one type are moved as integers of that size, if they are not computed in it anyway.
static const struct dtype *moved_as(const struct dtype *type)
{
    return type->size == 2 ? dtype_find("i16") : type->is_bool ? dtype_find("u8") : type;
}

static const char *check_types(const struct dtype *from, const struct dtype *to)
{
    bool half = from->kind == DTYPE_REAL && from->size == 2;
    bool half_to = to->kind == DTYPE_REAL && to->size == 2;
    if (from == to || (!half && !half_to))
        return NULL;
    return (half || (from->kind == DTYPE_REAL && from->size == 4)) ? NULL
                                                                   : "half types with other types";
}

// A kernel that copies `from` to a place of the plan, with these strides.
static void add_copy(struct plan *plan, const struct view *from, const struct dtype *type,
                     int pointer, int64_t offset, const int64_t *strides)
{
    bool same = from->type == type;
    struct view source = *from;
    if (same)
        source.type = moved_as(type);
    struct kernel *kernel = plan_kernel(plan, source.type, source.ndim, source.shape);
    kernel_tensor(plan, kernel, "x", &source);
    kernel_output(kernel, same ? moved_as(type) : type, pointer, strides)->offset = offset;
    kernel_stage(kernel)->store = "x";
}

static void add_fill(struct plan *plan, const struct dtype *type, const struct view *space,
                     int pointer, int64_t offset, double value)
{
    struct kernel *kernel = plan_kernel(plan, type, space->ndim, space->shape);
    kernel_number(kernel, "value", value);
    kernel_output(kernel, type, pointer, space->strides)->offset = offset;
    kernel_stage(kernel)->store = "value";
}

static const char *plan_clone(struct frame *frame)
{
    struct view x;
    int64_t strides[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    const struct dtype *type = argument_type(frame, "dtype", x.type);
    if (!type)
        return "an unknown type";
    const char *problem = check_types(x.type, type);
    if (problem)
        return problem;
    struct plan *plan = plan_new(frame);
    int pointer = plan_result(plan, type, x.ndim, x.shape, format_strides(frame, &x, strides));
    add_copy(plan, &x, type, pointer, 0, plan->results[0].strides);
    return NULL;
}

static const char *plan_copy_into(struct frame *frame)
{
    struct view to, from;
    argument_view(frame, "self", &to);
    argument_view(frame, "src", &from);
    const char *problem = check_types(from.type, to.type);
    struct view both[] = {to, from}, common;
    if (!problem && (!view_common_shape(both, 2, &common) || !same_shape(&common, &to)))
        problem = "shapes do not fit";
    if (problem)
        return problem;
    from = view_broadcast(&from, to.ndim, to.shape);
    struct plan *plan = plan_new(frame);
    plan_return(plan, 0);
    add_copy(plan, &from, to.type, plan_pointer(plan, &to), 0, to.strides);
    return NULL;
}

static const char *check_list(struct frame *frame)
{
    const struct bilanx_value *list = argument(frame, "tensors");
    if (list && list->count > PLAN_POINTERS - 2)
        return "too many tensors";
    return check_list_of_tensors(frame);
}

static const char *plan_cat(struct frame *frame)
{
    const char *problem = check_list(frame);
    if (problem)
        return problem;
    const struct bilanx_value *list = argument(frame, "tensors");
    struct view shape = list_view(list, 0);
    for (size_t i = 0; i < list->count && !counts_in_cat(&shape); i++)
        shape = list_view(list, i);
    if (shape.ndim == 0)
        return "no dimensions";
    if (!has_dimension(frame, "dim", &shape))
        return "no such dimension";
    int dimension = view_dimension(&shape, argument_integer(frame, "dim", 0));
    shape.shape[dimension] = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct view part = list_view(list, i), like = shape;
        if (counts_in_cat(&part) && part.ndim == shape.ndim)
            like.shape[dimension] = part.shape[dimension];
        if (counts_in_cat(&part) && !same_shape(&part, &like))
            return "shapes do not fit";
        shape.shape[dimension] += counts_in_cat(&part) ? part.shape[dimension] : 0;
    }
    struct plan *plan = plan_new(frame);
    int pointer = plan_result(plan, shape.type, shape.ndim, shape.shape, NULL);
    const int64_t *strides = plan->results[0].strides;
    int64_t start = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct view part = list_view(list, i);
        if (!counts_in_cat(&part))
            continue;
        add_copy(plan, &part, part.type, pointer, start * strides[dimension], strides);
        start += part.shape[dimension];
    }
    return NULL;
}

static const char *plan_stack(struct frame *frame)
{
    const char *problem = check_list(frame);
    if (problem)
        return problem;
    const struct bilanx_value *list = argument(frame, "tensors");
    struct view first = list_view(list, 0);
    int64_t at = argument_integer(frame, "dim", 0);
    int dimension = (int)(at < 0 ? at + first.ndim + 1 : at);
    if (dimension < 0 || dimension > first.ndim)
        return "no such dimension";
    for (size_t i = 1; i < list->count; i++) {
        struct view other = list_view(list, i);
        if (!same_shape(&first, &other))
            return "shapes do not fit";
    }
    struct view shape = view_insert(&first, dimension, (int64_t)list->count, 0);
    struct plan *plan = plan_new(frame);
    int pointer = plan_result(plan, shape.type, shape.ndim, shape.shape, NULL);
    int64_t strides[BILANX_MAX_DIMENSIONS], step = plan->results[0].strides[dimension];
    for (int d = 0; d < first.ndim; d++)
        strides[d] = plan->results[0].strides[d + (d >= dimension)];
    for (size_t i = 0; i < list->count; i++) {
        struct view part = list_view(list, i);
        add_copy(plan, &part, part.type, pointer, (int64_t)i * step, strides);
    }
    return NULL;
}

static int64_t bounded(int64_t place, int64_t size)
{
    place = place < 0 ? place + size : place;
    return place < 0 ? 0 : place > size ? size : place;
}

// Fills everything outside a box in the result, slab by slab, so that nothing is written twice.
static void fill_around(struct plan *plan, const struct dtype *type, int pointer,
                        const struct view *whole, const int64_t *start, const int64_t *size,
                        double value)
{
    struct view rest = *whole;
    int64_t offset = 0;
    for (int d = 0; d < whole->ndim; d++) {
        int64_t ends[][2] = {{0, start[d]}, {start[d] + size[d], whole->shape[d]}};
        for (int k = 0; k < 2; k++) {
            struct view slab = rest;
            slab.shape[d] = ends[k][1] - ends[k][0];
            if (view_count(&slab) > 0)
                add_fill(plan, type, &slab, pointer, offset + ends[k][0] * whole->strides[d],
                         value);
        }
        rest.shape[d] = size[d];
        offset += start[d] * whole->strides[d];
    }
}

// The result: zero except for a box that holds `part`.
static const char *place_in(struct frame *frame, const struct view *part, int ndim,
                            const int64_t *shape, const int64_t *start, double value)
{
    if (part->ndim != ndim)
        return "shapes do not fit";
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0 || start[d] + part->shape[d] > shape[d])
            return "shapes do not fit";
    struct plan *plan = plan_new(frame);
    const struct dtype *type = part->type;
    int pointer = plan_result(plan, type, ndim, shape, NULL);
    struct view whole = {.ndim = ndim, .type = type};
    memcpy(whole.shape, plan->results[0].shape, sizeof whole.shape);
    memcpy(whole.strides, plan->results[0].strides, sizeof whole.strides);
    int64_t offset = 0;
    for (int d = 0; d < ndim; d++)
        offset += start[d] * whole.strides[d];
    fill_around(plan, moved_as(type), pointer, &whole, start, part->shape, value);
    add_copy(plan, part, type, pointer, offset, whole.strides);
    return NULL;
}

static const char *plan_slice_backward(struct frame *frame)
{
    struct view gradient;
    int64_t shape[BILANX_MAX_DIMENSIONS], start[BILANX_MAX_DIMENSIONS] = {0};
    argument_view(frame, "grad_output", &gradient);
    int ndim = argument_integers(frame, "input_sizes", shape);
    struct view out = {.ndim = ndim};
    if (ndim < 1 || !has_dimension(frame, "dim", &out))
        return "no such dimension";
    int dimension = view_dimension(&out, argument_integer(frame, "dim", 0));
    if (argument_integer(frame, "step", 1) != 1)
        return "a step";
    start[dimension] = bounded(argument_integer(frame, "start", 0), shape[dimension]);
    return place_in(frame, &gradient, ndim, shape, start, 0);
}

static const char *plan_select_backward(struct frame *frame)
{
    struct view gradient;
    int64_t shape[BILANX_MAX_DIMENSIONS], start[BILANX_MAX_DIMENSIONS] = {0};
    argument_view(frame, "grad_output", &gradient);
    int ndim = argument_integers(frame, "input_sizes", shape);
    struct view out = {.ndim = ndim};
    if (ndim < 1 || gradient.ndim != ndim - 1 || !has_dimension(frame, "dim", &out))
        return "no such dimension";
    int dimension = view_dimension(&out, argument_integer(frame, "dim", 0));
    start[dimension] = bounded(argument_integer(frame, "index", 0), shape[dimension]);
    gradient = view_insert(&gradient, dimension, 1, 0);
    return place_in(frame, &gradient, ndim, shape, start, 0);
}

// Negative padding removes elements. The first pair is for the last dimension.
static const char *plan_pad(struct frame *frame)
{
    struct view x;
    int64_t pads[2 * BILANX_MAX_DIMENSIONS] = {0}, shape[BILANX_MAX_DIMENSIONS];
    int64_t start[BILANX_MAX_DIMENSIONS] = {0};
    argument_view(frame, "self", &x);
    double value = argument_real(frame, "value", 0);
    if (value != 0 && x.type->size == 2)
        return "a value in a half type";
    int count = argument_integers(frame, "pad", pads);
    if (count > 2 * x.ndim)
        return "shapes do not fit";
    memcpy(shape, x.shape, sizeof shape);
    for (int i = 0; i + 1 < count; i += 2) {
        int d = x.ndim - 1 - i / 2;
        int64_t skipped = pads[i] < 0 ? -pads[i] : 0, cut = pads[i + 1] < 0 ? -pads[i + 1] : 0;
        shape[d] += pads[i] + pads[i + 1];
        start[d] = pads[i] > 0 ? pads[i] : 0;
        int64_t length = x.shape[d] - skipped - cut;
        x = view_narrow(&x, d, skipped, length > 0 ? length : 0);
    }
    return place_in(frame, &x, x.ndim, shape, start, value);
}

static const char *plan_flip(struct frame *frame)
{
    struct view x;
    int64_t dims[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    if (!has_dimension(frame, "dims", &x) || x.ndim == 0)
        return "no such dimension";
    struct plan *plan = plan_new(frame);
    int pointer = plan_result_like(plan, x.type, &x);
    int count = argument_integers(frame, "dims", dims);
    for (int i = 0; i < count && view_count(&x) > 0; i++) {
        int d = view_dimension(&x, dims[i]);
        x = view_narrow(&x, d, x.shape[d] - 1, x.shape[d]);
        x.strides[d] = -x.strides[d];
    }
    add_copy(plan, &x, x.type, pointer, 0, plan->results[0].strides);
    return NULL;
}

// One dimension at a time: elements that leave at one end enter at the other.
static void roll_into(struct plan *plan, const struct view *to, int pointer, int64_t offset,
                      const struct view *from, const int64_t *shifts, const int64_t *dims,
                      int count)
{
    if (view_count(from) == 0)
        return;
    if (count == 0) {
        add_copy(plan, from, from->type, pointer, offset, to->strides);
        return;
    }
    int d = view_dimension(from, dims[0]);
    int64_t size = from->shape[d], shift = size ? (shifts[0] % size + size) % size : 0;
    struct view first = view_narrow(from, d, 0, size - shift);
    struct view second = view_narrow(from, d, size - shift, shift);
    roll_into(plan, to, pointer, offset + shift * to->strides[d], &first, shifts + 1, dims + 1,
              count - 1);
    roll_into(plan, to, pointer, offset, &second, shifts + 1, dims + 1, count - 1);
}

static const char *plan_roll(struct frame *frame)
{
    struct view x, to;
    int64_t shifts[BILANX_MAX_DIMENSIONS], dims[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    int count = argument_integers(frame, "shifts", shifts);
    if (argument_integers(frame, "dims", dims) != count || count < 1 || count > 4 || x.ndim == 0 ||
        !has_dimension(frame, "dims", &x))
        return "without dimensions";
    struct plan *plan = plan_new(frame);
    int pointer = plan_result(plan, x.type, x.ndim, x.shape, NULL);
    to = x;
    memcpy(to.strides, plan->results[0].strides, sizeof to.strides);
    roll_into(plan, &to, pointer, 0, &x, shifts, dims, count);
    return NULL;
}

// The result as a view of twice the dimensions: times and size, times and size.
static const char *plan_repeat(struct frame *frame)
{
    struct view x;
    int64_t times[BILANX_MAX_DIMENSIONS], shape[BILANX_MAX_DIMENSIONS];
    argument_view(frame, "self", &x);
    int ndim = argument_integers(frame, "repeats", times);
    if (ndim > BILANX_MAX_DIMENSIONS / 2 || ndim < x.ndim)
        return "too many or too few dimensions";
    for (int d = 0; d < ndim; d++)
        if (times[d] < 0)
            return "negative repeats";
    for (int d = 0; d < ndim; d++)
        shape[d] = (d < ndim - x.ndim ? 1 : x.shape[d - (ndim - x.ndim)]) * times[d];
    struct plan *plan = plan_new(frame);
    int pointer = plan_result(plan, x.type, ndim, shape, NULL);
    struct view from = x;
    int64_t strides[BILANX_MAX_DIMENSIONS];
    from.ndim = 2 * ndim;
    for (int d = 0; d < ndim; d++) {
        int own = d - (ndim - x.ndim);
        from.shape[2 * d] = times[d];
        from.shape[2 * d + 1] = own < 0 ? 1 : x.shape[own];
        from.strides[2 * d] = 0;
        from.strides[2 * d + 1] = own < 0 ? 0 : x.strides[own];
        strides[2 * d] = plan->results[0].strides[d] * from.shape[2 * d + 1];
        strides[2 * d + 1] = plan->results[0].strides[d];
    }
    add_copy(plan, &from, x.type, pointer, 0, strides);
    return NULL;
}

static const char *plan_fill(struct frame *frame)
{
    struct view self, value;
    argument_view(frame, "self", &self);
    bool is_zero = strcmp(frame->routine->base, "zero_") == 0;
    struct plan *plan = plan_new(frame);
    plan_return(plan, 0);
    int pointer = plan_pointer(plan, &self);
    if (!is_zero && argument_view(frame, "value", &value)) {
        const char *problem =
            value.ndim ? "a value with dimensions" : check_types(value.type, self.type);
        if (problem)
            return problem;
        value = view_broadcast(&value, self.ndim, self.shape);
        add_copy(plan, &value, self.type, pointer, 0, self.strides);
        return NULL;
    }
    add_fill(plan, self.type, &self, pointer, 0, is_zero ? 0 : argument_real(frame, "value", 0));
    return NULL;
}

const struct routine copy_routines[] = {
    PLANNED("clone", "self memory_format", "self", plan_clone),
    PLANNED("_to_copy", "self dtype layout device pin_memory non_blocking memory_format", "self",
            plan_clone),
    PLANNED("lift_fresh_copy", "self", "self", plan_clone),
    PLANNED("copy_", "self src non_blocking", "self src", plan_copy_into, .in_place = true),
    PLANNED("cat", "tensors dim", NULL, plan_cat),
    PLANNED("stack", "tensors dim", NULL, plan_stack),
    PLANNED("slice_backward", "grad_output input_sizes dim start end step", "grad_output",
            plan_slice_backward),
    PLANNED("select_backward", "grad_output input_sizes dim index", "grad_output",
            plan_select_backward),
    PLANNED("constant_pad_nd", "self pad value", "self", plan_pad),
    PLANNED("flip", "self dims", "self", plan_flip),
    PLANNED("roll", "self shifts dims", "self", plan_roll),
    PLANNED("repeat", "self repeats", "self", plan_repeat),
    {.base = "fill_",
     .overloads = "Scalar Tensor",
     .schema = "self value",
     .needs = "self",
     .check = plan_fill,
     .forget = forget_plan,
     .in_place = true},
    PLANNED("zero_", "self", "self", plan_fill, .in_place = true),
    {0},
};

// indexing: operators that take elements where indices say.
#include <string.h>

#include "tables.h"

static const struct dtype *moved_as(const struct dtype *type)
{
    return type->size == 2 ? dtype_find("i16") : type->is_bool ? dtype_find("u8") : type;
}

// Stores elements of `from`, in the space of the result, displaced along a dimension of `from` by
// an index. `from_strides` and `index_strides` are in that space.
static void take(struct plan *plan, const struct view *space, const struct view *from,
                 const int64_t *from_strides, int dimension, const struct view *index,
                 const int64_t *index_strides)
{
    const struct dtype *type = moved_as(from->type);
    int pointer = plan_result(plan, from->type, space->ndim, space->shape, NULL);
    struct kernel *kernel = plan_kernel(plan, type, space->ndim, space->shape);
    struct operand *x = kernel_input(kernel, "x", type, plan_pointer(plan, from), from_strides);
    kernel_input(kernel, "index", index->type, plan_pointer(plan, index), index_strides);
    x->via = 1;
    x->via_stride = from->ndim ? from->strides[dimension] : 0;
    x->via_size = from->ndim ? from->shape[dimension] : 1;
    kernel_output(kernel, type, pointer, plan->results[0].strides);
    kernel_stage(kernel)->store = "x";
}

static bool is_i64(const struct view *view)
{
    return view->type->kind == DTYPE_INTEGER && view->type->size == 8;
}

static const char *plan_embedding(struct frame *frame)
{
    struct view weight, index;
    argument_view(frame, "weight", &weight);
    argument_view(frame, "indices", &index);
    if (weight.ndim != 2 || !is_i64(&index))
        return "other indices than i64";
    struct view space = view_insert(&index, index.ndim, weight.shape[1], 0);
    int64_t strides[BILANX_MAX_DIMENSIONS] = {0};
    strides[index.ndim] = weight.strides[1];
    take(plan_new(frame), &space, &weight, strides, 0, &index, space.strides);
    return NULL;
}

static const char *plan_index_select(struct frame *frame)
{
    struct view x, index;
    argument_view(frame, "self", &x);
    argument_view(frame, "index", &index);
    if (x.ndim == 0 || !is_i64(&index))
        return x.ndim ? "other indices than i64" : "no dimensions";
    if (index.ndim > 1 || !has_dimension(frame, "dim", &x))
        return "no such dimension";
    int dimension = view_dimension(&x, argument_integer(frame, "dim", 0));
    struct view space = x;
    int64_t strides[BILANX_MAX_DIMENSIONS], index_strides[BILANX_MAX_DIMENSIONS] = {0};
    space.shape[dimension] = view_count(&index);
    memcpy(strides, x.strides, sizeof strides);
    strides[dimension] = 0;
    index_strides[dimension] = index.ndim ? index.strides[0] : 0;
    take(plan_new(frame), &space, &x, strides, dimension, &index, index_strides);
    return NULL;
}

static const char *plan_gather(struct frame *frame)
{
    struct view x, index;
    argument_view(frame, "self", &x);
    argument_view(frame, "index", &index);
    if (x.ndim == 0 || x.ndim != index.ndim || !is_i64(&index))
        return x.ndim ? "other indices than i64" : "no dimensions";
    if (!has_dimension(frame, "dim", &x))
        return "no such dimension";
    int dimension = view_dimension(&x, argument_integer(frame, "dim", 0));
    for (int d = 0; d < x.ndim; d++)
        if (d != dimension && index.shape[d] > x.shape[d])
            return "shapes do not fit";
    int64_t strides[BILANX_MAX_DIMENSIONS];
    memcpy(strides, x.strides, sizeof strides);
    strides[dimension] = 0;
    take(plan_new(frame), &index, &x, strides, dimension, &index, index.strides);
    return NULL;
}

const struct routine index_routines[] = {
    PLANNED("embedding", "weight indices padding_idx scale_grad_by_freq sparse", "weight indices",
            plan_embedding),
    PLANNED("index_select", "self dim index", "self index", plan_index_select),
    PLANNED("gather", "self dim index sparse_grad", "self index", plan_gather),
    {0},
};

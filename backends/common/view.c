// view: shapes and strides.
#include "view.h"

#include <stdlib.h>

struct view view_of(const DLTensor *tensor, bool is_bool)
{
    struct view view = {.data = (char *)tensor->data,
                        .type = dtype_of(tensor->dtype, is_bool),
                        .ndim = tensor->ndim};
    if (view.data)
        view.data += tensor->byte_offset;
    for (int d = 0; d < view.ndim; d++) {
        view.shape[d] = tensor->shape[d];
        view.strides[d] = bilanx_stride(tensor, d);
    }
    return view;
}

int64_t view_count(const struct view *view)
{
    int64_t count = 1;
    for (int d = 0; d < view->ndim; d++)
        count *= view->shape[d];
    return count;
}

bool view_is_contiguous(const struct view *view)
{
    int64_t expected = 1;
    for (int d = view->ndim - 1; d >= 0; d--) {
        if (view->shape[d] != 1 && view->strides[d] != expected)
            return false;
        expected *= view->shape[d];
    }
    return true;
}

bool view_common_shape(const struct view *views, int count, struct view *out)
{
    *out = (struct view){0};
    for (int i = 0; i < count; i++)
        out->ndim = views[i].ndim > out->ndim ? views[i].ndim : out->ndim;
    for (int d = 0; d < out->ndim; d++)
        out->shape[d] = 1;
    for (int i = 0; i < count; i++)
        for (int d = 0; d < views[i].ndim; d++) {
            int64_t *size = &out->shape[out->ndim - views[i].ndim + d], own = views[i].shape[d];
            if (own != 1 && *size != 1 && own != *size)
                return false;
            *size = own != 1 ? own : *size;
        }
    return true;
}

struct view view_broadcast(const struct view *view, int ndim, const int64_t *shape)
{
    struct view wide = {.data = view->data, .type = view->type, .ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        int own = d - (ndim - view->ndim);
        wide.shape[d] = shape[d];
        wide.strides[d] = own >= 0 && view->shape[own] != 1 ? view->strides[own] : 0;
    }
    return wide;
}

int view_dimension(const struct view *view, int64_t dimension)
{
    return (int)(dimension < 0 ? dimension + view->ndim : dimension);
}

static char *moved(const struct view *view, int64_t elements)
{
    return view->data ? view->data + elements * (int64_t)view->type->size : NULL;
}

struct view view_narrow(const struct view *view, int dimension, int64_t start, int64_t length)
{
    struct view part = *view;
    part.data = moved(view, start * view->strides[dimension]);
    part.shape[dimension] = length;
    return part;
}

struct view view_select(const struct view *view, int dimension, int64_t index)
{
    struct view part = view_narrow(view, dimension, index, 1);
    for (int d = dimension; d + 1 < part.ndim; d++) {
        part.shape[d] = part.shape[d + 1];
        part.strides[d] = part.strides[d + 1];
    }
    part.ndim--;
    return part;
}

struct view view_insert(const struct view *view, int dimension, int64_t length, int64_t stride)
{
    struct view wide = *view;
    for (int d = wide.ndim++; d > dimension; d--) {
        wide.shape[d] = wide.shape[d - 1];
        wide.strides[d] = wide.strides[d - 1];
    }
    wide.shape[dimension] = length;
    wide.strides[dimension] = stride;
    return wide;
}

struct view view_swap(const struct view *view, int one, int other)
{
    struct view swapped = *view;
    swapped.shape[one] = view->shape[other];
    swapped.strides[one] = view->strides[other];
    swapped.shape[other] = view->shape[one];
    swapped.strides[other] = view->strides[one];
    return swapped;
}

// Dimensions from the largest to the smallest stride; those of size 1 do not matter.
static void order_by_strides(const struct view *view, int *order)
{
    for (int d = 0; d < view->ndim; d++) {
        int at = d;
        for (; at > 0 && view->shape[d] != 1 &&
               (view->shape[order[at - 1]] == 1 ||
                llabs(view->strides[order[at - 1]]) < llabs(view->strides[d]));
             at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
}

void view_strides_like(const struct view *like, int64_t *strides)
{
    int order[BILANX_MAX_DIMENSIONS];
    bool repeats = false;
    for (int d = 0; d < like->ndim; d++)
        repeats = repeats || (like->shape[d] != 1 && like->strides[d] == 0);
    order_by_strides(like, order);
    int64_t stride = 1;
    for (int i = like->ndim - 1; i >= 0; i--) {
        int d = repeats ? i : order[i];
        strides[d] = stride;
        stride *= like->shape[d] > 0 ? like->shape[d] : 1;
    }
}

// places: indexing by tensors of integers, one for each of some dimensions: x[i, :, j].
//
// Indices are broadcast with each other. Their shape takes the place of the dimensions that they
// index, if those are neighbours, and comes first otherwise.
#include <string.h>

#include "tables.h"

struct places {
    struct view self;
    int64_t *offsets;  // of each slice in self, in elements
    int64_t count;
    struct view slice;  // the dimensions of self that are not indexed, without data
    int before;         // how many of those come before the indices in the result
    int index_ndim;
    int64_t shape[BILANX_MAX_DIMENSIONS];  // of the result
    int ndim;
};

static const struct bilanx_value *index_of(const struct bilanx_value *list, int d)
{
    return (size_t)d < list->count && list->items[d].kind == BILANX_TENSOR ? &list->items[d] : NULL;
}

// The common shape of the indices, and whether they index neighbours.
static const char *survey(const struct view *self, const struct bilanx_value *list,
                          struct view *common, bool *neighbours)
{
    struct view found[BILANX_MAX_DIMENSIONS];
    int count = 0, first = -1, last = -1;
    for (int d = 0; d < self->ndim; d++) {
        const struct bilanx_value *index = index_of(list, d);
        if (!index)
            continue;
        found[count] = view_of(index->tensor, index->is_bool);
        if (found[count].type->kind == DTYPE_REAL || found[count].type->is_bool)
            return "masks";
        first = first < 0 ? d : first;
        last = d;
        count++;
    }
    *neighbours = last - first + 1 == count;
    if (count == 0 || list->count > (size_t)self->ndim)
        return "no indices, or too many";
    return view_common_shape(found, count, common) ? NULL : "shapes do not fit";
}

static const char *shape_places(const struct frame *frame, struct places *places)
{
    const struct bilanx_value *list = argument(frame, "indices");
    struct view common = {0};
    bool neighbours = false, is_past = false;
    *places = (struct places){0};
    if (!argument_view(frame, "self", &places->self) || !list)
        return "needs a tensor and indices";
    const char *problem = survey(&places->self, list, &common, &neighbours);
    if (problem)
        return problem;
    struct view *slice = &places->slice;
    slice->type = places->self.type;
    for (int d = 0; d < places->self.ndim; d++) {
        if (index_of(list, d)) {
            is_past = true;
            continue;
        }
        slice->shape[slice->ndim] = places->self.shape[d];
        slice->strides[slice->ndim++] = places->self.strides[d];
        places->before += neighbours && !is_past;
    }
    for (int d = 0; d < places->before; d++)
        places->shape[places->ndim++] = slice->shape[d];
    for (int d = 0; d < common.ndim; d++)
        places->shape[places->ndim++] = common.shape[d];
    for (int d = places->before; d < slice->ndim; d++)
        places->shape[places->ndim++] = slice->shape[d];
    places->index_ndim = common.ndim;
    places->count = view_count(&common);
    return NULL;
}

static const char *find_offsets(struct frame *frame, struct places *places)
{
    const struct bilanx_value *list = argument(frame, "indices");
    size_t bytes = (size_t)places->count * sizeof(int64_t);
    int64_t *own = scratch(frame, bytes);
    places->offsets = memset(scratch(frame, bytes), 0, bytes);
    for (int d = 0; d < places->self.ndim; d++) {
        const struct bilanx_value *index = index_of(list, d);
        if (!index)
            continue;
        struct view view = view_of(index->tensor, index->is_bool);
        struct slices slices;
        view = view_broadcast(&view, places->index_ndim, places->shape + places->before);
        slices_init(&slices, &view, (1u << view.ndim) - 1);
        slices_load_integers(&slices, 0, own);
        for (int64_t i = 0; i < places->count; i++) {
            int64_t at = own[i] < 0 ? own[i] + places->self.shape[d] : own[i];
            if (at < 0 || at >= places->self.shape[d])
                return "an index is out of range";
            places->offsets[i] += at * places->self.strides[d];
        }
    }
    return NULL;
}

// The slice of a tensor of the result's shape that belongs to one place.
static struct view slice_of(const struct places *places, const struct view *whole, int64_t place)
{
    struct view slice = {.data = whole->data, .type = whole->type};
    int64_t offset = 0;
    for (int d = places->before + places->index_ndim - 1; d >= places->before; d--) {
        offset += place % whole->shape[d] * whole->strides[d];
        place /= whole->shape[d];
    }
    for (int d = 0; d < whole->ndim; d++)
        if (d < places->before || d >= places->before + places->index_ndim) {
            slice.shape[slice.ndim] = whole->shape[d];
            slice.strides[slice.ndim++] = whole->strides[d];
        }
    slice.data += offset * (int64_t)whole->type->size;
    return slice;
}

static const char *take(struct frame *frame)
{
    struct places places;
    shape_places(frame, &places);
    const char *problem = find_offsets(frame, &places);
    if (problem)
        return problem;
    struct view out = add_result(frame, places.self.type, places.ndim, places.shape, NULL);
    for (int64_t i = 0; i < places.count; i++) {
        struct view from = places.slice, to = slice_of(&places, &out, i);
        from.data = places.self.data + places.offsets[i] * (int64_t)from.type->size;
        view_copy(&to, &from);
    }
    return NULL;
}

// to += from, rounding to the type each time.
static void add_slice(struct frame *frame, const struct view *to, const struct view *from)
{
    struct slices target, source;
    uint32_t all = (1u << to->ndim) - 1;
    slices_init(&target, to, all);
    slices_init(&source, from, all);
    double *sum = scratch(frame, (size_t)target.length * sizeof *sum);
    double *added = scratch(frame, (size_t)target.length * sizeof *added);
    slices_load_reals(&target, 0, sum);
    slices_load_reals(&source, 0, added);
    for (int64_t i = 0; i < target.length; i++)
        sum[i] += added[i];
    slices_store_reals(&target, 0, sum);
}

static const char *put(struct frame *frame)
{
    struct places places;
    struct view values, self;
    shape_places(frame, &places);
    const char *problem = find_offsets(frame, &places);
    if (problem)
        return problem;
    self = places.self;
    if (frame->in_place) {
        add_argument_result(frame, "self");
    } else {
        // Offsets are those of the argument, so the result has its strides if possible.
        self = add_result_like(frame, self.type, &places.self);
        view_copy(&self, &places.self);
    }
    argument_view(frame, "values", &values);
    values = view_broadcast(&values, places.ndim, places.shape);
    bool accumulates = argument_integer(frame, "accumulate", 0);
    for (int64_t i = 0; i < places.count; i++) {
        struct view to = places.slice, from = slice_of(&places, &values, i);
        to.data = self.data + places.offsets[i] * (int64_t)to.type->size;
        if (accumulates)
            add_slice(frame, &to, &from);
        else
            view_copy(&to, &from);
    }
    return NULL;
}

static const char *check(struct frame *frame)
{
    struct places places;
    return shape_places(frame, &places);
}

static const char *check_put(struct frame *frame)
{
    struct places places;
    struct view values, both[2] = {0}, common;
    const char *problem = shape_places(frame, &places);
    if (problem)
        return problem;
    if (!argument_view(frame, "values", &values) || values.type != places.self.type)
        return "values of another type";
    // The result is written where the argument's strides say.
    int64_t strides[BILANX_MAX_DIMENSIONS];
    view_strides_like(&places.self, strides);
    if (!frame->in_place &&
        memcmp(strides, places.self.strides, (size_t)places.self.ndim * sizeof *strides) != 0)
        return "a tensor with gaps";
    if (argument_integer(frame, "accumulate", 0) && places.self.type->kind != DTYPE_REAL)
        return "integers";
    both[0] = values;
    both[1].ndim = places.ndim;
    memcpy(both[1].shape, places.shape, sizeof places.shape);
    return view_common_shape(both, 2, &common) && common.ndim == places.ndim ? NULL
                                                                             : "shapes do not fit";
}

#define ROW(base_, overloads_, schema_, ...) \
    {.base = base_, .overloads = overloads_, .schema = schema_, __VA_ARGS__}

const struct routine place_routines[] = {
    ROW("index", "Tensor", "self indices", .check = check, .run = take),
    ROW("index_put", "default", "self indices values accumulate", .check = check_put, .run = put,
        .in_place = true),
    ROW("_index_put_impl_", "default", "self indices values accumulate unsafe", .check = check_put,
        .run = put, .in_place = true),
    {0},
};

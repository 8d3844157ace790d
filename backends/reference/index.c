// index: operators that take or put elements where indices say.
#include <stdlib.h>
#include <string.h>

#include "tables.h"

static const char out_of_range[] = "an index is out of range";

// All indices of a tensor in C order; NULL if one is out of range. Negative ones count from the
// end.
static int64_t *indices(struct frame *frame, const struct view *view, int64_t size)
{
    int64_t count = view_count(view), *all = scratch(frame, (size_t)count * sizeof *all);
    struct slices slices;
    slices_init(&slices, view, (1u << view->ndim) - 1);
    slices_load_integers(&slices, 0, all);
    for (int64_t i = 0; i < count; i++) {
        all[i] += all[i] < 0 ? size : 0;
        if (all[i] < 0 || all[i] >= size)
            return NULL;
    }
    return all;
}

static const char *embedding(struct frame *frame)
{
    struct view weight, index;
    argument_view(frame, "weight", &weight);
    argument_view(frame, "indices", &index);
    const int64_t *rows = indices(frame, &index, weight.shape[0]);
    if (!rows)
        return out_of_range;
    struct view shape = view_insert(&index, index.ndim, weight.shape[1], 1);
    struct view out = add_result(frame, weight.type, shape.ndim, shape.shape, NULL);
    struct view row = {.type = weight.type, .ndim = 1, .shape = {weight.shape[1]}, .strides = {1}};
    for (int64_t i = 0; i < view_count(&index); i++) {
        struct view from = view_select(&weight, 0, rows[i]);
        row.data = out.data + i * weight.shape[1] * (int64_t)weight.type->size;
        view_copy(&row, &from);
    }
    return NULL;
}

struct occurrence {
    int64_t row, place;
};

static int by_row(const void *one, const void *other)
{
    const struct occurrence *a = one, *b = other;
    return a->row != b->row       ? (a->row > b->row) - (a->row < b->row)
           : a->place != b->place ? (a->place > b->place) - (a->place < b->place)
                                  : 0;
}

// Gradients of the same row are summed as doubles.
static const char *embedding_backward(struct frame *frame)
{
    struct view gradient, index;
    argument_view(frame, "grad_output", &gradient);
    argument_view(frame, "indices", &index);
    int64_t width = gradient.shape[gradient.ndim - 1], count = view_count(&index);
    int64_t shape[] = {argument_integer(frame, "num_weights", 0), width};
    int64_t padding = argument_integer(frame, "padding_idx", -1);
    bool scaled = argument_integer(frame, "scale_grad_by_freq", 0);
    const int64_t *rows = indices(frame, &index, shape[0]);
    if (!rows)
        return out_of_range;
    struct view out = add_result(frame, gradient.type, 2, shape, NULL);
    view_fill(&out, 0);
    struct occurrence *sorted = scratch(frame, (size_t)count * sizeof *sorted);
    for (int64_t i = 0; i < count; i++)
        sorted[i] = (struct occurrence){rows[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, by_row);
    struct slices slices;
    slices_init(&slices, &gradient, 1u << (gradient.ndim - 1));
    double *sum = scratch(frame, (size_t)width * sizeof *sum);
    double *line = scratch(frame, (size_t)width * sizeof *line);
    for (int64_t i = 0, end; i < count; i = end) {
        memset(sum, 0, (size_t)width * sizeof *sum);
        for (end = i; end < count && sorted[end].row == sorted[i].row; end++) {
            slices_load_reals(&slices, sorted[end].place, line);
            for (int64_t j = 0; j < width; j++)
                sum[j] += line[j];
        }
        for (int64_t j = 0; j < width && scaled; j++)
            sum[j] /= (double)(end - i);
        if (sorted[i].row != padding)
            store_reals(out.type, out.data + sorted[i].row * width * (int64_t)out.type->size, 1,
                        (size_t)width, sum);
    }
    return NULL;
}

static const char *index_select(struct frame *frame)
{
    struct view x, index;
    argument_view(frame, "self", &x);
    argument_view(frame, "index", &index);
    int dimension = view_dimension(&x, argument_integer(frame, "dim", 0));
    const int64_t *places = indices(frame, &index, x.ndim ? x.shape[dimension] : 1);
    if (!places)
        return out_of_range;
    struct view shape = x;
    if (x.ndim > 0)
        shape.shape[dimension] = view_count(&index);
    struct view out = add_result(frame, x.type, x.ndim, shape.shape, NULL);
    for (int64_t i = 0; i < view_count(&index) && x.ndim > 0; i++) {
        struct view from = view_select(&x, dimension, places[i]);
        struct view to = view_select(&out, dimension, i);
        view_copy(&to, &from);
    }
    if (x.ndim == 0)
        view_copy(&out, &x);
    return NULL;
}

// Calls `visit` with the position, in elements, of each index in a tensor, where the coordinate of
// one dimension is replaced by the index.
struct scatter {
    struct view target;     // where indices point to
    struct view other;      // the result of a gather, the source of a scatter
    const int64_t *places;  // in C order of `shape`
    struct view shape;      // of the indices
    int dimension;
};

static int64_t position(const struct view *view, const int64_t *at, int dimension, int64_t instead)
{
    int64_t sum = 0;
    for (int d = 0; d < view->ndim; d++)
        sum += (d == dimension ? instead : at[d]) * view->strides[d];
    return sum * (int64_t)view->type->size;
}

typedef void visitor(const struct dtype *type, char *target, char *other);

static void visit_all(const struct scatter *scatter, visitor *visit)
{
    int64_t at[BILANX_MAX_DIMENSIONS] = {0}, count = view_count(&scatter->shape);
    for (int64_t i = 0; i < count; i++) {
        char *target = scatter->target.data +
                       position(&scatter->target, at, scatter->dimension, scatter->places[i]);
        visit(scatter->target.type, target,
              scatter->other.data + position(&scatter->other, at, -1, 0));
        for (int d = scatter->shape.ndim - 1; d >= 0 && ++at[d] == scatter->shape.shape[d]; d--)
            at[d] = 0;
    }
}

static void take(const struct dtype *type, char *target, char *other)
{
    memcpy(other, target, type->size);
}

static void put(const struct dtype *type, char *target, char *other)
{
    memcpy(target, other, type->size);
}

static void add(const struct dtype *type, char *target, char *other)
{
    double one, two;
    int64_t integer, integer_two;
    if (type->kind == DTYPE_REAL) {
        load_reals(type, target, 1, 1, &one);
        load_reals(type, other, 1, 1, &two);
        one += two;
        store_reals(type, target, 1, 1, &one);
    } else {
        load_integers(type, target, 1, 1, &integer);
        load_integers(type, other, 1, 1, &integer_two);
        integer = (int64_t)((uint64_t)integer + (uint64_t)integer_two);
        store_integers(type, target, 1, 1, &integer);
    }
}

static const char *take_indices(struct frame *frame, struct scatter *scatter)
{
    argument_view(frame, "index", &scatter->shape);
    scatter->dimension = view_dimension(&scatter->target, argument_integer(frame, "dim", 0));
    scatter->places = indices(frame, &scatter->shape,
                              scatter->target.ndim ? scatter->target.shape[scatter->dimension] : 1);
    return scatter->places ? NULL : out_of_range;
}

static const char *gather(struct frame *frame)
{
    struct scatter scatter;
    argument_view(frame, "self", &scatter.target);
    const char *problem = take_indices(frame, &scatter);
    if (problem)
        return problem;
    scatter.other =
        add_result(frame, scatter.target.type, scatter.shape.ndim, scatter.shape.shape, NULL);
    visit_all(&scatter, take);
    return NULL;
}

// Indices into a copy of `self`, or into itself for the variant with an underscore.
static const char *scatter(struct frame *frame)
{
    struct scatter scatter;
    struct view self;
    double number;
    argument_view(frame, "self", &self);
    if (frame->in_place) {
        add_argument_result(frame, "self");
        scatter.target = self;
    } else {
        scatter.target = add_result(frame, self.type, self.ndim, self.shape, NULL);
        view_copy(&scatter.target, &self);
    }
    const char *problem = take_indices(frame, &scatter);
    if (problem)
        return problem;
    if (!argument_view(frame, "src", &scatter.other)) {
        struct view value;
        value_view(argument(frame, "value"), &number, &value);
        struct view converted = {.data = scratch(frame, 16), .type = self.type};
        view_copy(&converted, &value);
        scatter.other = view_broadcast(&converted, scatter.shape.ndim, scatter.shape.shape);
    }
    visit_all(&scatter, strcmp(frame->routine->base, "scatter_add") == 0 ? add : put);
    return NULL;
}

static const char *check_source(struct frame *frame)
{
    struct view self, source;
    argument_view(frame, "self", &self);
    return argument_view(frame, "src", &source) && source.type != self.type ? "two types" : NULL;
}

#define ROW(base_, overloads_, schema_, ...) \
    {.base = base_, .overloads = overloads_, .schema = schema_, __VA_ARGS__}

const struct routine index_routines[] = {
    ROW("embedding", "default", "weight indices padding_idx scale_grad_by_freq sparse",
        .needs = "weight indices", .run = embedding),
    ROW("embedding_dense_backward", "default",
        "grad_output indices num_weights padding_idx scale_grad_by_freq",
        .needs = "grad_output indices", .run = embedding_backward),
    ROW("index_select", "default", "self dim index", .needs = "self index", .run = index_select),
    ROW("gather", "default", "self dim index sparse_grad", .needs = "self index", .run = gather),
    ROW("scatter", "src", "self dim index src", .needs = "self index", .check = check_source,
        .run = scatter, .in_place = true),
    ROW("scatter", "value", "self dim index value", .needs = "self index", .run = scatter,
        .in_place = true),
    ROW("scatter_add", "default", "self dim index src", .needs = "self index src",
        .check = check_source, .run = scatter, .in_place = true),
    {0},
};

// walk: visits the elements of views.
#include <stdlib.h>
#include <string.h>

#include "view.h"

// Whether dimension `outer` continues `inner` in all views, so that both are one.
static bool continues(const struct walk *walk, int outer, const struct view *views, int inner)
{
    for (int i = 0; i < walk->count; i++)
        if (walk->strides[i][outer] !=
            views[i].strides[inner] * views[i].shape[inner] * walk->sizes[i])
            return false;
    return true;
}

static void add_dimension(struct walk *walk, const struct view *views, int d)
{
    bool joins = walk->ndim > 0 && continues(walk, walk->ndim - 1, views, d);
    int at = joins ? walk->ndim - 1 : walk->ndim++;
    walk->shape[at] = joins ? walk->shape[at] * views[0].shape[d] : views[0].shape[d];
    for (int i = 0; i < walk->count; i++)
        walk->strides[i][at] = views[i].strides[d] * walk->sizes[i];
}

static void sort_by_memory(const struct view *view, int *order)
{
    for (int d = 0; d < view->ndim; d++) {
        int at = d;
        for (; at > 0 && llabs(view->strides[order[at - 1]]) < llabs(view->strides[d]); at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
}

void walk_init(struct walk *walk, const struct view *views, int count, bool by_memory)
{
    *walk = (struct walk){.count = count};
    char *data[WALK_MAX_VIEWS];
    for (int i = 0; i < count; i++) {
        walk->sizes[i] = views[i].type->size;
        data[i] = views[i].data;
    }
    int order[BILANX_MAX_DIMENSIONS];
    for (int d = 0; d < views[0].ndim; d++)
        order[d] = d;
    if (by_memory)
        sort_by_memory(&views[0], order);
    for (int i = 0; i < views[0].ndim; i++) {
        walk->is_empty = walk->is_empty || views[0].shape[order[i]] == 0;
        if (views[0].shape[order[i]] != 1)
            add_dimension(walk, views, order[i]);
    }
    int last = walk->ndim - 1;
    walk->length = last < 0 ? 1 : (size_t)walk->shape[last];
    for (int i = 0; i < count; i++)
        walk->step[i] = last < 0 ? 1 : walk->strides[i][last] / walk->sizes[i];
    walk_restart(walk, data);
}

void walk_restart(struct walk *walk, char *const *data)
{
    walk->has_begun = false;
    memset(walk->index, 0, sizeof walk->index);
    for (int i = 0; i < walk->count; i++)
        walk->at[i] = data[i];
}

static void move(struct walk *walk, int d, int64_t by)
{
    walk->index[d] += by;
    for (int i = 0; i < walk->count; i++)
        walk->at[i] += by * walk->strides[i][d];
}

bool walk_next(struct walk *walk)
{
    if (!walk->has_begun) {
        walk->has_begun = true;
        return !walk->is_empty;
    }
    for (int d = walk->ndim - 2; d >= 0; d--) {
        if (walk->index[d] + 1 < walk->shape[d]) {
            move(walk, d, 1);
            return true;
        }
        move(walk, d, -walk->index[d]);
    }
    return false;
}

static void copy_run(const struct walk *walk, const struct view *to, const struct view *from)
{
    if (to->type == from->type && walk->step[0] == 1 && walk->step[1] == 1) {
        memmove(walk->at[0], walk->at[1], walk->length * to->type->size);
        return;
    }
    union {
        double reals[VIEW_BLOCK];
        int64_t integers[VIEW_BLOCK];
    } block;
    for (size_t i = 0, n; i < walk->length; i += n) {
        n = walk->length - i < VIEW_BLOCK ? walk->length - i : VIEW_BLOCK;
        char *target = walk->at[0] + (int64_t)i * walk->step[0] * walk->sizes[0];
        const char *source = walk->at[1] + (int64_t)i * walk->step[1] * walk->sizes[1];
        if (from->type->kind == DTYPE_REAL) {
            load_reals(from->type, source, walk->step[1], n, block.reals);
            store_reals(to->type, target, walk->step[0], n, block.reals);
        } else {
            load_integers(from->type, source, walk->step[1], n, block.integers);
            store_integers(to->type, target, walk->step[0], n, block.integers);
        }
    }
}

void view_copy(const struct view *to, const struct view *from)
{
    struct walk walk;
    walk_init(&walk, (struct view[]){*to, *from}, 2, true);
    while (walk_next(&walk))
        copy_run(&walk, to, from);
}

void view_fill(const struct view *to, double value)
{
    struct view scalar = {.data = (char *)&value, .type = dtype_find("f64")};
    scalar = view_broadcast(&scalar, to->ndim, to->shape);
    view_copy(to, &scalar);
}

void slices_init(struct slices *slices, const struct view *view, uint32_t dimensions)
{
    *slices = (struct slices){0};
    for (int d = 0; d < view->ndim; d++) {
        struct view *part = dimensions >> d & 1 ? &slices->inner : &slices->outer;
        part->shape[part->ndim] = view->shape[d];
        part->strides[part->ndim++] = view->strides[d];
    }
    slices->outer.type = slices->inner.type = view->type;
    slices->outer.data = slices->inner.data = view->data;
    slices->count = view_count(&slices->outer);
    slices->length = view_count(&slices->inner);
    walk_init(&slices->walk, &slices->inner, 1, false);
}

static void begin(struct slices *slices, int64_t index)
{
    int64_t position = 0;
    for (int d = slices->outer.ndim - 1; d >= 0; d--) {
        position += index % slices->outer.shape[d] * slices->outer.strides[d];
        index /= slices->outer.shape[d];
    }
    char *data = slices->outer.data + position * (int64_t)slices->outer.type->size;
    walk_restart(&slices->walk, &data);
}

#define SLICES_MOVE(name, pointer, call, from, to)                           \
    void slices_##name(struct slices *slices, int64_t index, pointer buffer) \
    {                                                                        \
        begin(slices, index);                                                \
        struct walk *walk = &slices->walk;                                   \
        for (; walk_next(walk); buffer += walk->length)                      \
            call(slices->inner.type, from, walk->step[0], walk->length, to); \
    }
SLICES_MOVE(load_reals, double *, load_reals, walk->at[0], buffer)
SLICES_MOVE(load_integers, int64_t *, load_integers, walk->at[0], buffer)
SLICES_MOVE(store_reals, const double *, store_reals, walk->at[0], buffer)
SLICES_MOVE(store_integers, const int64_t *, store_integers, walk->at[0], buffer)

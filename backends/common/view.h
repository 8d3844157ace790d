// view: a strided tensor as the backends see it, and how its elements are visited.
//
// Elements are computed as doubles or as 64-bit integers, whatever their type in memory. Copying,
// broadcasting and slicing change shapes and strides only.
#ifndef BACKENDS_COMMON_VIEW_H
#define BACKENDS_COMMON_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bilanx/backend_tools.h"
#include "inputs/tensors/dtype.h"

enum { VIEW_BLOCK = 256, WALK_MAX_VIEWS = 6 };

struct view {
    char *data;
    const struct dtype *type;
    int ndim;
    int64_t shape[BILANX_MAX_DIMENSIONS], strides[BILANX_MAX_DIMENSIONS];  // in elements
};

struct view view_of(const DLTensor *tensor, bool is_bool);
int64_t view_count(const struct view *view);
bool view_is_contiguous(const struct view *view);

// Gets the shape that all views broadcast to; false if they do not.
bool view_common_shape(const struct view *views, int count, struct view *out);
struct view view_broadcast(const struct view *view, int ndim, const int64_t *shape);

// Views of parts. A dimension may be negative: counted from the end.
int view_dimension(const struct view *view, int64_t dimension);
struct view view_narrow(const struct view *view, int dimension, int64_t start, int64_t length);
struct view view_select(const struct view *view, int dimension, int64_t index);
struct view view_insert(const struct view *view, int dimension, int64_t length, int64_t stride);
struct view view_swap(const struct view *view, int one, int other);

// Strides without gaps in the order of dimensions that `like` has, if it covers each element once.
void view_strides_like(const struct view *like, int64_t *strides);

// Reads or writes `count` elements that are `stride` elements apart.
void load_reals(const struct dtype *type, const char *from, int64_t stride, size_t count,
                double *to);
void load_integers(const struct dtype *type, const char *from, int64_t stride, size_t count,
                   int64_t *to);
void store_reals(const struct dtype *type, char *to, int64_t stride, size_t count,
                 const double *from);
void store_integers(const struct dtype *type, char *to, int64_t stride, size_t count,
                    const int64_t *from);

// Visits views of one shape together, run by run: `length` elements from `at[i]`, `step[i]` apart.
struct walk {
    int count, ndim;
    int64_t shape[BILANX_MAX_DIMENSIONS], index[BILANX_MAX_DIMENSIONS];
    int64_t strides[WALK_MAX_VIEWS][BILANX_MAX_DIMENSIONS];  // in bytes
    int64_t sizes[WALK_MAX_VIEWS];                           // of an element
    char *at[WALK_MAX_VIEWS];
    int64_t step[WALK_MAX_VIEWS];  // in elements
    size_t length;
    bool has_begun, is_empty;
};
// In the order of the first view's memory, or in C order.
void walk_init(struct walk *walk, const struct view *views, int count, bool by_memory);
void walk_restart(struct walk *walk, char *const *data);
bool walk_next(struct walk *walk);

// Copies elements, converting their type.
void view_copy(const struct view *to, const struct view *from);
void view_fill(const struct view *to, double value);

// A view cut into slices: the dimensions of a set make one slice, the others count slices.
struct slices {
    struct view outer, inner;
    struct walk walk;
    int64_t count, length;
};
void slices_init(struct slices *slices, const struct view *view, uint32_t dimensions);
void slices_load_reals(struct slices *slices, int64_t index, double *to);
void slices_load_integers(struct slices *slices, int64_t index, int64_t *to);
void slices_store_reals(struct slices *slices, int64_t index, const double *from);
void slices_store_integers(struct slices *slices, int64_t index, const int64_t *from);

#endif

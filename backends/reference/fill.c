// fill: constructors of tensors with one value, and filling in place.
#include <string.h>

#include "tables.h"

struct filler {
    double value;       // if the call has none
    const char *sizes;  // the argument with the shape; NULL: that of `self`
};

static const char *construct(struct frame *frame)
{
    const struct filler *how = frame->routine->how;
    struct view like = {.type = dtype_find("f32")}, out;
    argument_view(frame, "self", &like);
    const struct dtype *type = argument_type(frame, "dtype", like.type);
    double number = how->value;
    struct view value = {.data = (char *)&number, .type = dtype_find("f64")};
    value_view(argument(frame, "fill_value"), &number, &value);
    if (how->sizes) {
        int64_t shape[BILANX_MAX_DIMENSIONS];
        int ndim = argument_integers(frame, how->sizes, shape);
        out = add_result(frame, type, ndim, shape, NULL);
    } else {
        out = add_result_like(frame, type, &like);
    }
    value = view_broadcast(&value, out.ndim, out.shape);
    view_copy(&out, &value);
    return NULL;
}

static const char *fill(struct frame *frame)
{
    struct view self, value, out;
    double number = 0;
    argument_view(frame, "self", &self);
    value = (struct view){.data = (char *)&number, .type = dtype_find("f64")};
    value_view(argument(frame, "value"), &number, &value);
    if (frame->in_place) {
        add_argument_result(frame, "self");
        out = self;
    } else {
        out = add_result_like(frame, self.type, &self);
    }
    value = view_broadcast(&value, out.ndim, out.shape);
    view_copy(&out, &value);
    return NULL;
}

static const char *check_type(struct frame *frame)
{
    return has_argument(frame, "dtype") && !argument_type(frame, "dtype", NULL) ? "an unknown type"
                                                                                : NULL;
}

#define ROW(base_, schema_, ...)                                                       \
    {                                                                                  \
        .base = base_, .overloads = "default", .schema = schema_, .check = check_type, \
        .run = construct, .how = &(const struct filler)                                \
        {                                                                              \
            __VA_ARGS__                                                                \
        }                                                                              \
    }

// `full` without a type would take it from its value, which this backend does not support.
const struct routine fill_routines[] = {
    {.base = "fill",
     .overloads = "Scalar Tensor",
     .schema = "self value",
     .needs = "self",
     .run = fill,
     .in_place = true},
    {.base = "zero",
     .overloads = "default",
     .schema = "self",
     .needs = "self",
     .run = fill,
     .in_place = true},
    ROW("zeros", "size dtype layout device pin_memory", 0, "size"),
    ROW("ones", "size dtype layout device pin_memory", 1, "size"),
    ROW("zeros_like", "self dtype layout device pin_memory memory_format", 0, NULL),
    ROW("ones_like", "self dtype layout device pin_memory memory_format", 1, NULL),
    ROW("full_like", "self fill_value dtype layout device pin_memory memory_format", 0, NULL),
    ROW("new_zeros", "self size dtype layout device pin_memory", 0, "size"),
    ROW("new_ones", "self size dtype layout device pin_memory", 1, "size"),
    ROW("new_full", "self size fill_value dtype layout device pin_memory", 0, "size"),
    {0},
};

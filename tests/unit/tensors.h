// tensors: descriptions for tests.
#ifndef UNIT_TENSORS_H
#define UNIT_TENSORS_H

#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor.h"

// A contiguous tensor, uniform in its usual range.
static inline struct tensor_description tensor_described(const char *type, int dimensions,
                                                         const int64_t *shape)
{
    const struct dtype *dtype = dtype_find(type);
    struct tensor_description description = {
        .dtype = dtype->type,
        .is_bool = dtype->is_bool,
        .dimensions = dimensions,
        .high = dtype->is_bool || dtype->kind == DTYPE_REAL ? 1 : 100,
        .seed = 1};
    for (int d = 0; d < dimensions; d++) {
        description.shape[d] = shape[d];
        description.steps[d] = 1;
        description.order[d] = d;
    }
    tensor_lay_out(&description);
    return description;
}

// tensor_shaped("f32", 2, 3): with that shape.
#define tensor_shaped(type, ...)                                               \
    tensor_described(type, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
                     (const int64_t[]){__VA_ARGS__})

#endif

// product: the matrix products that aten has, as one: result = beta * addend + alpha * a * b.
#ifndef BACKENDS_COMMON_PRODUCT_H
#define BACKENDS_COMMON_PRODUCT_H

#include "frame.h"

struct product {
    int64_t batch, rows, columns, depth;
    struct view a, b;    // [batch, rows, depth] and [batch, depth, columns]
    struct view addend;  // [batch, rows, columns], broadcast
    bool has_addend;
    double alpha, beta;
    int ndim;  // of the result, whose dimensions are `shape`
    int64_t shape[3];
};

// Their arguments have different names; a routine's `how` points to this.
struct product_names {
    const char *a, *b, *addend;  // addend may be NULL
};

// Rows for a table of routines; common fields of struct routine are passed as arguments.
#define PRODUCT_ROUTINES(...)                                                                  \
    {PRODUCT_("mm", "self mat2", "self", "mat2", NULL), __VA_ARGS__},                          \
        {PRODUCT_("bmm", "self mat2", "self", "mat2", NULL), __VA_ARGS__},                     \
        {PRODUCT_("mv", "self vec", "self", "vec", NULL), __VA_ARGS__},                        \
        {PRODUCT_("dot", "self tensor", "self", "tensor", NULL), __VA_ARGS__},                 \
        {PRODUCT_("addmm", "self mat1 mat2 beta alpha", "mat1", "mat2", "self"), __VA_ARGS__}, \
        {PRODUCT_("baddbmm", "self batch1 batch2 beta alpha", "batch1", "batch2", "self"),     \
         __VA_ARGS__},                                                                         \
    {                                                                                          \
        PRODUCT_("addmv", "self mat vec beta alpha", "mat", "vec", "self"), __VA_ARGS__        \
    }
#define PRODUCT_(base_, schema_, ...)                                                              \
    .base = base_, .overloads = "default", .schema = schema_, .how = &(const struct product_names) \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

// Returns why there is no such product, or NULL.
const char *product_of(const struct frame *frame, struct product *out);

#endif

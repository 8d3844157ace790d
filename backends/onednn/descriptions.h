// descriptions: oneDNN's descriptors, the same for its versions 2 and 3.
//
// Version 2 keeps a memory descriptor by value and describes an operation in two steps; version 3
// has handles and one step. Only descriptions.c knows the difference.
#ifndef BACKENDS_ONEDNN_DESCRIPTIONS_H
#define BACKENDS_ONEDNN_DESCRIPTIONS_H

#include <oneapi/dnnl/dnnl.h>

#include "backends/common/frame.h"

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t layout;
#else
typedef const dnnl_memory_desc_t *layout;
#endif

struct description {  // of a memory
    dnnl_memory_desc_t descriptor;
    bool is_set;
};
// The layout of a view, or one that the library chooses.
dnnl_status_t description_of(struct description *out, const struct view *view, bool any);
void description_done(struct description *description);
layout description_layout(const struct description *description);  // NULL if it is not set
bool description_type(const struct dtype *type, dnnl_data_type_t *out);

// The part that all operations need.
struct setting {
    dnnl_engine_t engine;
    dnnl_primitive_desc_t hint;  // the forward operation, for a backward one
    dnnl_primitive_attr_t attributes;
};

struct convolution {
    bool is_transposed;
    layout src, weights, bias, dst;
    dnnl_dims_t strides, dilates, left, right;
};
enum direction { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS };
dnnl_status_t describe_convolution(const struct setting *setting, const struct convolution *what,
                                   enum direction direction, dnnl_primitive_desc_t *out);

struct pooling {
    dnnl_alg_kind_t kind;
    layout src, dst;
    dnnl_dims_t strides, kernel, left, right;
};
dnnl_status_t describe_pooling(const struct setting *setting, const struct pooling *what,
                               enum direction direction, dnnl_primitive_desc_t *out);

dnnl_status_t describe_product(const struct setting *setting, layout a, layout b, layout bias,
                               layout dst, dnnl_primitive_desc_t *out);
dnnl_status_t describe_binary(const struct setting *setting, dnnl_alg_kind_t kind, layout a,
                              layout b, layout dst, dnnl_primitive_desc_t *out);
dnnl_status_t describe_eltwise(const struct setting *setting, dnnl_alg_kind_t kind, layout data,
                               float alpha, float beta, enum direction direction,
                               dnnl_primitive_desc_t *out);
dnnl_status_t describe_softmax(const struct setting *setting, dnnl_alg_kind_t kind, layout data,
                               int axis, enum direction direction, dnnl_primitive_desc_t *out);

struct normalization {
    layout data, statistics;  // statistics: of a layer norm; NULL makes it a batch norm
    float epsilon;
    bool has_weights, is_training;  // not training: statistics are arguments
};
dnnl_status_t describe_normalization(const struct setting *setting,
                                     const struct normalization *what, enum direction direction,
                                     dnnl_primitive_desc_t *out);

dnnl_status_t describe_sum(dnnl_primitive_attr_t *out, float scale);

#endif

// descriptions: the differences between oneDNN 2 and 3.
#include "descriptions.h"

#include <string.h>

bool description_type(const struct dtype *type, dnnl_data_type_t *out)
{
    if (type->kind != DTYPE_REAL || type->size > sizeof(float))
        return false;
    *out = type->size == sizeof(float)    ? dnnl_f32
           : type->type.code == kDLBfloat ? dnnl_bf16
                                          : dnnl_f16;
    return true;
}

dnnl_status_t description_of(struct description *out, const struct view *view, bool any)
{
    dnnl_dims_t dims = {1}, strides = {1};
    dnnl_data_type_t type;
    int ndim = view->ndim > 0 ? view->ndim : 1;
    if (!description_type(view->type, &type))
        return dnnl_unimplemented;
    for (int d = 0; d < view->ndim; d++) {
        dims[d] = view->shape[d];
        strides[d] = view->strides[d];
    }
    dnnl_memory_desc_t made;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_status_t status =
        any ? dnnl_memory_desc_create_with_tag(&made, ndim, dims, type, dnnl_format_tag_any)
            : dnnl_memory_desc_create_with_strides(&made, ndim, dims, type, strides);
#else
    dnnl_status_t status =
        any ? dnnl_memory_desc_init_by_tag(&made, ndim, dims, type, dnnl_format_tag_any)
            : dnnl_memory_desc_init_by_strides(&made, ndim, dims, type, strides);
#endif
    if (status == dnnl_success)
        *out = (struct description){.descriptor = made, .is_set = true};
    return status;
}

void description_done(struct description *description)
{
#if DNNL_VERSION_MAJOR >= 3
    if (description->is_set)
        dnnl_memory_desc_destroy(description->descriptor);
#endif
    description->is_set = false;
}

layout description_layout(const struct description *description)
{
    if (!description->is_set)
        return NULL;
#if DNNL_VERSION_MAJOR >= 3
    return description->descriptor;
#else
    return &description->descriptor;
#endif
}

#if DNNL_VERSION_MAJOR < 3
// The second step of version 2.
static dnnl_status_t finish(const struct setting *setting, dnnl_status_t status,
                            const_dnnl_op_desc_t operation, dnnl_primitive_desc_t *out)
{
    return status != dnnl_success ? status
                                  : dnnl_primitive_desc_create(out, operation, setting->attributes,
                                                               setting->engine, setting->hint);
}
#endif

#if DNNL_VERSION_MAJOR >= 3
#define GEOMETRY what->strides, what->dilates, what->left, what->right

#define CONVOLUTION(name, kind)                                                                   \
    static dnnl_status_t of_##name(const struct setting *setting, const struct convolution *what, \
                                   enum direction direction, dnnl_primitive_desc_t *out)          \
    {                                                                                             \
        switch (direction) {                                                                      \
        case BACKWARD_DATA:                                                                       \
            return dnnl_##name##_backward_data_primitive_desc_create(                             \
                out, setting->engine, kind, what->src, what->weights, what->dst, GEOMETRY,        \
                setting->hint, setting->attributes);                                              \
        case BACKWARD_WEIGHTS:                                                                    \
            return dnnl_##name##_backward_weights_primitive_desc_create(                          \
                out, setting->engine, kind, what->src, what->weights, what->bias, what->dst,      \
                GEOMETRY, setting->hint, setting->attributes);                                    \
        default:                                                                                  \
            return dnnl_##name##_forward_primitive_desc_create(                                   \
                out, setting->engine, dnnl_forward_training, kind, what->src, what->weights,      \
                what->bias, what->dst, GEOMETRY, setting->attributes);                            \
        }                                                                                         \
    }
#else
#define GEOMETRY what->strides, what->dilates, what->left, what->right

#define CONVOLUTION(name, kind)                                                                   \
    static dnnl_status_t of_##name(const struct setting *setting, const struct convolution *what, \
                                   enum direction direction, dnnl_primitive_desc_t *out)          \
    {                                                                                             \
        dnnl_convolution_desc_t operation;                                                        \
        dnnl_status_t status;                                                                     \
        switch (direction) {                                                                      \
        case BACKWARD_DATA:                                                                       \
            status = dnnl_dilated_##name##_backward_data_desc_init(                               \
                &operation, kind, what->src, what->weights, what->dst, GEOMETRY);                 \
            break;                                                                                \
        case BACKWARD_WEIGHTS:                                                                    \
            status = dnnl_dilated_##name##_backward_weights_desc_init(                            \
                &operation, kind, what->src, what->weights, what->bias, what->dst, GEOMETRY);     \
            break;                                                                                \
        default:                                                                                  \
            status = dnnl_dilated_##name##_forward_desc_init(&operation, dnnl_forward_training,   \
                                                             kind, what->src, what->weights,      \
                                                             what->bias, what->dst, GEOMETRY);    \
        }                                                                                         \
        return finish(setting, status, &operation, out);                                          \
    }
#endif

CONVOLUTION(convolution, dnnl_convolution_direct)
CONVOLUTION(deconvolution, dnnl_deconvolution_direct)

dnnl_status_t describe_convolution(const struct setting *setting, const struct convolution *what,
                                   enum direction direction, dnnl_primitive_desc_t *out)
{
    return what->is_transposed ? of_deconvolution(setting, what, direction, out)
                               : of_convolution(setting, what, direction, out);
}

dnnl_status_t describe_pooling(const struct setting *setting, const struct pooling *what,
                               enum direction direction, dnnl_primitive_desc_t *out)
{
#if DNNL_VERSION_MAJOR >= 3
    const dnnl_dims_t none = {0};
    if (direction == FORWARD)
        return dnnl_pooling_forward_primitive_desc_create(
            out, setting->engine, dnnl_forward_training, what->kind, what->src, what->dst,
            what->strides, what->kernel, none, what->left, what->right, setting->attributes);
    return dnnl_pooling_backward_primitive_desc_create(
        out, setting->engine, what->kind, what->src, what->dst, what->strides, what->kernel, none,
        what->left, what->right, setting->hint, setting->attributes);
#else
    dnnl_pooling_desc_t operation;
    dnnl_status_t status =
        direction == FORWARD
            ? dnnl_pooling_forward_desc_init(&operation, dnnl_forward_training, what->kind,
                                             what->src, what->dst, what->strides, what->kernel,
                                             what->left, what->right)
            : dnnl_pooling_backward_desc_init(&operation, what->kind, what->src, what->dst,
                                              what->strides, what->kernel, what->left, what->right);
    return finish(setting, status, &operation, out);
#endif
}

dnnl_status_t describe_product(const struct setting *setting, layout a, layout b, layout bias,
                               layout dst, dnnl_primitive_desc_t *out)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_matmul_primitive_desc_create(out, setting->engine, a, b, bias, dst,
                                             setting->attributes);
#else
    dnnl_matmul_desc_t operation;
    return finish(setting, dnnl_matmul_desc_init(&operation, a, b, bias, dst), &operation, out);
#endif
}

dnnl_status_t describe_binary(const struct setting *setting, dnnl_alg_kind_t kind, layout a,
                              layout b, layout dst, dnnl_primitive_desc_t *out)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_binary_primitive_desc_create(out, setting->engine, kind, a, b, dst,
                                             setting->attributes);
#else
    dnnl_binary_desc_t operation;
    return finish(setting, dnnl_binary_desc_init(&operation, kind, a, b, dst), &operation, out);
#endif
}

dnnl_status_t describe_eltwise(const struct setting *setting, dnnl_alg_kind_t kind, layout data,
                               float alpha, float beta, enum direction direction,
                               dnnl_primitive_desc_t *out)
{
#if DNNL_VERSION_MAJOR >= 3
    if (direction == FORWARD)
        return dnnl_eltwise_forward_primitive_desc_create(out, setting->engine,
                                                          dnnl_forward_training, kind, data, data,
                                                          alpha, beta, setting->attributes);
    return dnnl_eltwise_backward_primitive_desc_create(out, setting->engine, kind, data, data, data,
                                                       alpha, beta, setting->hint,
                                                       setting->attributes);
#else
    dnnl_eltwise_desc_t operation;
    dnnl_status_t status =
        direction == FORWARD
            ? dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_training, kind, data, alpha,
                                             beta)
            : dnnl_eltwise_backward_desc_init(&operation, kind, data, data, alpha, beta);
    return finish(setting, status, &operation, out);
#endif
}

dnnl_status_t describe_softmax(const struct setting *setting, dnnl_alg_kind_t kind, layout data,
                               int axis, enum direction direction, dnnl_primitive_desc_t *out)
{
#if DNNL_VERSION_MAJOR >= 3
    if (direction == FORWARD)
        return dnnl_softmax_forward_primitive_desc_create(out, setting->engine,
                                                          dnnl_forward_training, kind, data, data,
                                                          axis, setting->attributes);
    return dnnl_softmax_backward_primitive_desc_create(out, setting->engine, kind, data, data, data,
                                                       axis, setting->hint, setting->attributes);
#else
    dnnl_softmax_v2_desc_t operation;
    dnnl_status_t status =
        direction == FORWARD
            ? dnnl_softmax_v2_forward_desc_init(&operation, dnnl_forward_training, kind, data, data,
                                                axis)
            : dnnl_softmax_v2_backward_desc_init(&operation, kind, data, data, data, axis);
    return finish(setting, status, &operation, out);
#endif
}

static unsigned flags_of(const struct normalization *what)
{
    return (what->has_weights ? (unsigned)dnnl_use_scale | (unsigned)dnnl_use_shift : 0u) |
           (what->is_training ? 0u : (unsigned)dnnl_use_global_stats);
}

static dnnl_prop_kind_t kind_of(const struct normalization *what, enum direction direction)
{
    if (direction == FORWARD)
        return what->is_training ? dnnl_forward_training : dnnl_forward_inference;
    return what->has_weights ? dnnl_backward : dnnl_backward_data;
}

dnnl_status_t describe_normalization(const struct setting *setting,
                                     const struct normalization *what, enum direction direction,
                                     dnnl_primitive_desc_t *out)
{
    unsigned flags = flags_of(what);
    dnnl_prop_kind_t kind = kind_of(what, direction);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_engine_t engine = setting->engine;
    const_dnnl_primitive_attr_t attributes = setting->attributes;
    layout data = what->data;
    if (what->statistics && direction == FORWARD)
        return dnnl_layer_normalization_forward_primitive_desc_create(
            out, engine, kind, data, data, what->statistics, what->epsilon, flags, attributes);
    if (what->statistics)
        return dnnl_layer_normalization_backward_primitive_desc_create(
            out, engine, kind, data, data, data, what->statistics, what->epsilon, flags,
            setting->hint, attributes);
    if (direction == FORWARD)
        return dnnl_batch_normalization_forward_primitive_desc_create(
            out, engine, kind, data, data, what->epsilon, flags, attributes);
    return dnnl_batch_normalization_backward_primitive_desc_create(
        out, engine, kind, data, data, data, what->epsilon, flags, setting->hint, attributes);
#else
    dnnl_layer_normalization_desc_t layer;
    dnnl_batch_normalization_desc_t batch;
    if (what->statistics)
        return finish(
            setting,
            direction == FORWARD
                ? dnnl_layer_normalization_forward_desc_init(&layer, kind, what->data,
                                                             what->statistics, what->epsilon, flags)
                : dnnl_layer_normalization_backward_desc_init(
                      &layer, kind, what->data, what->data, what->statistics, what->epsilon, flags),
            &layer, out);
    return finish(setting,
                  direction == FORWARD
                      ? dnnl_batch_normalization_forward_desc_init(&batch, kind, what->data,
                                                                   what->epsilon, flags)
                      : dnnl_batch_normalization_backward_desc_init(
                            &batch, kind, what->data, what->data, what->epsilon, flags),
                  &batch, out);
#endif
}

dnnl_status_t describe_sum(dnnl_primitive_attr_t *out, float scale)
{
    dnnl_post_ops_t after;
    dnnl_status_t status = dnnl_primitive_attr_create(out);
    if (status != dnnl_success)
        return status;
    status = dnnl_post_ops_create(&after);
    if (status != dnnl_success)
        return status;
#if DNNL_VERSION_MAJOR >= 3
    status = dnnl_post_ops_append_sum(after, scale, 0, dnnl_data_type_undef);
#else
    status = dnnl_post_ops_append_sum(after, scale);
#endif
    if (status == dnnl_success)
        status = dnnl_primitive_attr_set_post_ops(*out, after);
    dnnl_post_ops_destroy(after);
    return status;
}

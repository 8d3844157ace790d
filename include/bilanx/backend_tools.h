// backend_tools: helpers that most backends need: arguments of a call, results, errors. All inline.
//
//     static const char *fill(const struct bilanx_call *call, const struct bilanx_host *host,
//                             struct bilanx_result *result)
//     {
//         const DLTensor *x = bilanx_call_tensor(call, 0, "self");
//         double value = bilanx_call_real(call, 1, "fill_value", 0);
//         if (!x || !bilanx_is_f32(x))
//             return "only f32";
//         DLTensor *y = bilanx_result_like(result, host, x);
//         for (int64_t i = 0; i < bilanx_elements(y); i++)
//             BILANX_DATA(float, y)[i] = (float)value;
//         return NULL;
//     }
//
// Arguments are found by their position or, if they were passed by name, by their name in the
// operator's schema. <bilanx/elements.h> accesses the elements of a tensor.
#ifndef BILANX_BACKEND_TOOLS_H
#define BILANX_BACKEND_TOOLS_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bilanx/backend.h"
#include "bilanx/elements.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BILANX_MAX_DIMENSIONS = 16 };

// An argument, or NULL if the call does not have it. A negative position: by name only.
static inline const struct bilanx_value *bilanx_call_value(const struct bilanx_call *call,
                                                           int position, const char *name)
{
    if (position >= 0 && (size_t)position < call->argument_count)
        return &call->arguments[position];
    for (size_t i = 0; i < call->keyword_count; i++)
        if (strcmp(call->keywords[i].name, name) == 0)
            return &call->keywords[i].value;
    return NULL;
}

// Returns NULL if it is absent, None, sparse or not a tensor.
static inline DLTensor *bilanx_call_tensor(const struct bilanx_call *call, int position,
                                           const char *name)
{
    const struct bilanx_value *value = bilanx_call_value(call, position, name);
    return value && value->kind == BILANX_TENSOR && !value->sparse ? value->tensor : NULL;
}

// Booleans and integers count as numbers. Returns `otherwise` if the argument is not a number.
static inline double bilanx_value_real(const struct bilanx_value *value, double otherwise)
{
    if (!value)
        return otherwise;
    if (value->kind == BILANX_REAL)
        return value->real;
    return value->kind == BILANX_INTEGER || value->kind == BILANX_TRUTH ? (double)value->integer
                                                                        : otherwise;
}

static inline double bilanx_call_real(const struct bilanx_call *call, int position,
                                      const char *name, double otherwise)
{
    return bilanx_value_real(bilanx_call_value(call, position, name), otherwise);
}

static inline int64_t bilanx_call_integer(const struct bilanx_call *call, int position,
                                          const char *name, int64_t otherwise)
{
    const struct bilanx_value *value = bilanx_call_value(call, position, name);
    return value && (value->kind == BILANX_INTEGER || value->kind == BILANX_TRUTH) ? value->integer
                                                                                   : otherwise;
}

// Copies a list of integers, or a single integer. Returns their number, at most `limit`; 0 if there
// is no such list.
static inline int bilanx_call_integers(const struct bilanx_call *call, int position,
                                       const char *name, int64_t *out, int limit)
{
    const struct bilanx_value *value = bilanx_call_value(call, position, name);
    if (value && value->kind == BILANX_INTEGER && limit > 0) {
        out[0] = value->integer;
        return 1;
    }
    if (!value || (value->kind != BILANX_LIST && value->kind != BILANX_TUPLE))
        return 0;
    int count = value->count < (size_t)limit ? (int)value->count : limit;
    for (int i = 0; i < count; i++)
        out[i] = value->items[i].integer;
    return count;
}

static inline bool bilanx_is_f32(const DLTensor *x)
{
    return x->dtype.code == kDLFloat && x->dtype.bits == 32 && x->dtype.lanes == 1;
}

// A tensor that a backend returns, with its memory. All zeros is an empty one.
struct bilanx_result {
    DLTensor tensor;
    bool is_bool;
    int64_t shape[BILANX_MAX_DIMENSIONS], strides[BILANX_MAX_DIMENSIONS];
};

static inline void bilanx_result_drop(struct bilanx_result *result, const struct bilanx_host *host)
{
    if (result->tensor.data)
        host->release(result->tensor.data);
    result->tensor.data = NULL;
}

// Allocates a tensor, and frees what the result held before. Its elements are not set. Without
// strides it is contiguous; strides must stay within as many elements as the tensor has.
static inline DLTensor *bilanx_result_make(struct bilanx_result *result,
                                           const struct bilanx_host *host, DLDataType type,
                                           int ndim, const int64_t *shape, const int64_t *strides)
{
    bilanx_result_drop(result, host);
    DLTensor *tensor = &result->tensor;
    memset(tensor, 0, sizeof *tensor);
    tensor->device.device_type = kDLCPU;
    tensor->dtype = type;
    tensor->ndim = ndim;
    tensor->shape = result->shape;
    for (int d = 0; d < ndim; d++)
        result->shape[d] = shape[d];
    for (int d = 0; d < ndim; d++)
        result->strides[d] = strides ? strides[d] : bilanx_stride(tensor, d);
    tensor->strides = result->strides;
    size_t bytes = (size_t)bilanx_elements(tensor) * (type.bits / 8u) * type.lanes;
    tensor->data = host->allocate(bytes ? bytes : 1);
    return tensor;
}

// A contiguous tensor of the shape and type of `x`.
static inline DLTensor *bilanx_result_like(struct bilanx_result *result,
                                           const struct bilanx_host *host, const DLTensor *x)
{
    return bilanx_result_make(result, host, x->dtype, x->ndim, x->shape, NULL);
}

static inline struct bilanx_value bilanx_result_value(struct bilanx_result *result)
{
    struct bilanx_value value;
    memset(&value, 0, sizeof value);
    value.kind = BILANX_TENSOR;
    value.tensor = &result->tensor;
    value.is_bool = result->is_bool;
    return value;
}

// Like bilanx_error_make(), but does not need libbilanx.
BILANX_PRINTF(2, 3)
static inline struct bilanx_error bilanx_backend_error(enum bilanx_status status,
                                                       const char *format, ...)
{
    struct bilanx_error error;
    va_list arguments;
    va_start(arguments, format);
    error.status = status;
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    return error;
}

#ifdef __cplusplus
}
#endif

#endif

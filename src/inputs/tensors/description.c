// description: computes properties of a tensor from its description, without making it.
#include <inttypes.h>

#include "base/text.h"
#include "bilanx/elements.h"
#include "dtype.h"
#include "fill.h"
#include "making.h"
#include "tensor.h"
#include "walk.h"

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct bilanx_error check_dimension(const struct tensor_description *description, int d)
{
    if (description->shape[d] < 0)
        return bilanx_error_make(BILANX_E_USAGE, "dimension %d has %" PRId64 " elements", d,
                                 description->shape[d]);
    if (description->strides[d] < 0)
        return bilanx_error_make(BILANX_E_USAGE, "the stride of dimension %d is %" PRId64, d,
                                 description->strides[d]);
    if (description->steps[d] < 1)
        return bilanx_error_make(BILANX_E_USAGE, "the step of dimension %d is %" PRId64, d,
                                 description->steps[d]);
    int times = 0;
    for (int i = 0; i < description->dimensions; i++)
        times += description->order[i] == d;
    if (times != 1)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "the order of dimensions has dimension %d %d times", d, times);
    return BILANX_SUCCESS;
}

struct bilanx_error tensor_check_permutation(const struct dtype *dtype, uint64_t elements)
{
    if ((double)elements - 1 > dtype->largest)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "%s cannot hold a permutation of %" PRIu64 " elements",
                                 dtype->name, elements);
    return BILANX_SUCCESS;
}

// The number of places for the nonzero elements of a sparse tensor.
static uint64_t sparse_places(const struct tensor_description *description)
{
    uint64_t places = 1;
    for (int d = 0; d < description->sparse_dimensions; d++)
        places = multiply(places, (uint64_t)description->shape[d]);
    return places;
}

static struct bilanx_error check_sparse(const struct tensor_description *description)
{
    if (description->sparse_dimensions < 1 ||
        description->sparse_dimensions > description->dimensions)
        return bilanx_error_make(BILANX_E_USAGE, "%d of %d dimensions are sparse",
                                 description->sparse_dimensions, description->dimensions);
    if (description->nonzeros < 0)
        return bilanx_error_make(BILANX_E_USAGE, "it has %" PRId64 " nonzeros",
                                 description->nonzeros);
    if (description->fill == TENSOR_PERMUTATION)
        return bilanx_error_make(BILANX_E_USAGE, "a permutation cannot be sparse");
    uint64_t places = sparse_places(description);
    bool has_room = description->is_coalesced ? (uint64_t)description->nonzeros <= places
                                              : places > 0 || description->nonzeros == 0;
    if (!has_room)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "it has %" PRId64 " nonzeros in %" PRIu64 " places",
                                 description->nonzeros, places);
    return BILANX_SUCCESS;
}

static struct bilanx_error check(const struct tensor_description *description)
{
    if (description->dimensions < 0 || description->dimensions > TENSOR_DIMENSIONS)
        return bilanx_error_make(BILANX_E_USAGE, "it has %d dimensions; 0 to %d are possible",
                                 description->dimensions, TENSOR_DIMENSIONS);
    for (int d = 0; d < description->dimensions; d++)
        BILANX_TRY(check_dimension(description, d));
    BILANX_TRY(fill_check(description));
    if (description->is_sparse)
        return check_sparse(description);
    if (description->fill == TENSOR_PERMUTATION)
        return tensor_check_permutation(dtype_of(description->dtype, description->is_bool),
                                        tensor_elements(description));
    return BILANX_SUCCESS;
}

struct bilanx_error tensor_blame(const struct tensor_description *description,
                                 struct bilanx_error error)
{
    if (error.status == BILANX_OK)
        return error;
    if (!description->name)
        return bilanx_error_make(error.status, "a tensor: %s", error.text);
    return bilanx_error_make(error.status, "tensor '%s': %s", description->name, error.text);
}

struct bilanx_error tensor_check(const struct tensor_description *description)
{
    return tensor_blame(description, check(description));
}

// Whether the addresses of all elements can be computed.
static struct bilanx_error check_extent(const DLTensor *tensor)
{
    uint64_t elements = 1, bytes = tensor->dtype.bits / 8;
    for (int d = 0; d < tensor->ndim; d++) {
        int64_t stride = bilanx_stride(tensor, d);
        uint64_t distance = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
        elements = multiply(elements, (uint64_t)tensor->shape[d]);
        bytes = add(bytes, multiply(multiply(distance, (uint64_t)tensor->shape[d]),
                                    tensor->dtype.bits / 8));
    }
    if (elements > INT64_MAX || bytes > INT64_MAX)
        return bilanx_error_make(BILANX_E_USAGE, "a tensor is larger than any memory");
    return BILANX_SUCCESS;
}

struct bilanx_error tensor_check_foreign(const DLTensor *tensor)
{
    if (tensor->device.device_type != kDLCPU)
        return bilanx_error_make(BILANX_E_USAGE, "a tensor is on device %d, not in this memory",
                                 (int)tensor->device.device_type);
    if (!dtype_of(tensor->dtype, false) && !dtype_of(tensor->dtype, true))
        return bilanx_error_make(BILANX_E_USAGE, "the type of a tensor is none of %s",
                                 dtype_names());
    if (tensor->ndim < 0 || tensor->ndim > WALK_DIMENSIONS)
        return bilanx_error_make(BILANX_E_USAGE, "a tensor has %d dimensions; 0 to %d are possible",
                                 (int)tensor->ndim, WALK_DIMENSIONS);
    for (int d = 0; d < tensor->ndim; d++)
        if (tensor->shape[d] < 0)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "dimension %d of a tensor has %" PRId64 " elements", d,
                                     tensor->shape[d]);
    return bilanx_elements(tensor) == 0 ? BILANX_SUCCESS : check_extent(tensor);
}

void tensor_lay_out(struct tensor_description *description)
{
    uint64_t below = 1;  // elements of memory that one step along the next dimension skips
    for (int i = description->dimensions - 1; i >= 0; i--) {
        int d = description->order[i];
        uint64_t stride = multiply(below, (uint64_t)description->steps[d]);
        description->strides[d] = stride > INT64_MAX ? INT64_MAX : (int64_t)stride;
        if (description->shape[d] > 0)  // an empty dimension counts as one, as in other libraries
            below = multiply(stride, (uint64_t)description->shape[d]);
        else
            below = stride;
    }
}

uint64_t tensor_elements(const struct tensor_description *description)
{
    uint64_t elements = 1;
    for (int d = 0; d < description->dimensions; d++)
        if (description->shape[d] == 0)  // however large the other dimensions are
            return 0;
    for (int d = 0; d < description->dimensions; d++)
        elements = multiply(elements, (uint64_t)description->shape[d]);
    return elements;
}

static uint64_t element_size(const struct tensor_description *description)
{
    return description->dtype.bits / 8;
}

// From the first element to the last, in elements.
static uint64_t span(const struct tensor_description *description)
{
    uint64_t last = 0;
    if (tensor_elements(description) == 0)
        return 0;
    for (int d = 0; d < description->dimensions; d++)
        last = add(
            last, multiply((uint64_t)description->shape[d] - 1, (uint64_t)description->strides[d]));
    return add(last, 1);
}

uint64_t tensor_bytes(const struct tensor_description *description)
{
    return multiply(span(description), element_size(description));
}

uint64_t tensor_allocation(const struct tensor_description *description)
{
    uint64_t elements = tensor_elements(description), spanned = span(description);
    for (int d = 0; d < description->dimensions; d++)
        elements = multiply(elements, (uint64_t)description->steps[d]);
    return multiply(elements > spanned ? elements : spanned, element_size(description));
}

// The dimension with the next larger stride; -1: none.
static int next_by_stride(const struct tensor_description *description, int after)
{
    int next = -1;
    const int64_t *strides = description->strides;
    for (int d = 0; d < description->dimensions; d++) {
        bool is_later =
            after < 0 || strides[d] > strides[after] || (strides[d] == strides[after] && d > after);
        if (is_later && (next < 0 || strides[d] < strides[next]))
            next = d;
    }
    return next;
}

uint64_t tensor_used_bytes(const struct tensor_description *description, uint64_t page_bytes)
{
    uint64_t size = element_size(description), part = size, parts = 1;
    for (int d = -1; (d = next_by_stride(description, d)) >= 0;) {
        uint64_t count = (uint64_t)description->shape[d];
        uint64_t stride = multiply((uint64_t)description->strides[d], size);
        if (count == 0)
            return 0;
        if (stride < add(part, page_bytes))  // no page is left out
            part = add(part, multiply(count - 1, stride));
        else
            parts = multiply(parts, count);
    }
    uint64_t used = multiply(parts, add(part, page_bytes)), all = tensor_allocation(description);
    return used < all ? used : all;
}

bool tensor_is_contiguous(const struct tensor_description *description)
{
    uint64_t expected = 1;
    if (tensor_elements(description) == 0)
        return true;
    for (int d = description->dimensions - 1; d >= 0; d--) {
        if (description->shape[d] != 1 && (uint64_t)description->strides[d] != expected)
            return false;
        expected = multiply(expected, (uint64_t)description->shape[d]);
    }
    return true;
}

static void add_numbers(struct text *out, const int64_t *numbers, int count, const char *separator)
{
    for (int i = 0; i < count; i++)
        text_format(out, "%s%" PRId64, i ? separator : "", numbers[i]);
}

void tensor_describe(const struct tensor_description *description, struct text *out)
{
    const struct dtype *dtype = dtype_of(description->dtype, description->is_bool);
    if (description->dimensions == 0)
        text_add(out, "scalar");
    add_numbers(out, description->shape, description->dimensions, "x");
    text_format(out, " %s", dtype ? dtype->name : "unknown type");
    if (description->is_sparse) {
        text_format(out, ", sparse, %" PRId64 " nonzeros%s", description->nonzeros,
                    description->is_coalesced ? "" : ", uncoalesced");
    } else if (tensor_is_contiguous(description)) {
        text_add(out, ", contiguous");
    } else {
        text_add(out, ", strides ");
        add_numbers(out, description->strides, description->dimensions, ",");
    }
}

/* elements: the elements of a DLTensor in this process's memory, whatever its strides.
 *
 *     int64_t shape[] = {2, 3}, strides[] = {1, 2};  // column by column
 *     float memory[] = {1, 2, 3, 4, 5, 6};
 *     DLTensor tensor = {0}, *x = &tensor;
 *     x->data = memory, x->ndim = 2, x->shape = shape, x->strides = strides;
 *
 *     float sum = 0;
 *     for (int64_t i = 0; i < x->shape[0]; i++)
 *         for (int64_t j = 0; j < x->shape[1]; j++)
 *             sum += BILANX_AT(float, x, i, j);      // one to four indices
 *     if (bilanx_is_contiguous(x))                   // then a plain loop will do
 *         for (int64_t i = 0; i < bilanx_elements(x); i++)
 *             sum += BILANX_DATA(float, x)[i];
 *
 * Everything is inline and nothing is checked: neither the type nor the indices. Elements of f16
 * and bf16 are uint16_t. Needs C99 or C++11 or later, and DLPack's header.
 */
#ifndef BILANX_ELEMENTS_H
#define BILANX_ELEMENTS_H

#include <dlpack/dlpack.h>
#include <stdint.h>

/* The first element, as a pointer to `type`. */
#define BILANX_DATA(type, x) ((type *)(void *)((char *)(x)->data + (x)->byte_offset))

/* An element, which can be assigned to: BILANX_AT(float, x, i, j) = 1. */
#define BILANX_AT(type, x, ...) (BILANX_DATA(type, x)[BILANX_POSITION(x, __VA_ARGS__)])

/* How many elements after the first one an element is in memory. */
#define BILANX_POSITION(x, ...)                                                          \
    BILANX_FIFTH_(__VA_ARGS__, bilanx_at4_, bilanx_at3_, bilanx_at2_, bilanx_at1_, 0)(x, \
                                                                                      __VA_ARGS__)
#define BILANX_FIFTH_(a, b, c, d, e, ...) e

/* The number of elements; 1 for a scalar. */
static inline int64_t bilanx_elements(const DLTensor *x)
{
    uint64_t elements = 1;
    for (int d = 0; d < x->ndim; d++)
        elements *= (uint64_t)x->shape[d];
    return (int64_t)elements;
}

/* The distance of neighbours along a dimension, in elements. */
static inline int64_t bilanx_stride(const DLTensor *x, int dimension)
{
    uint64_t stride = 1;
    if (x->strides)
        return x->strides[dimension];
    for (int d = x->ndim - 1; d > dimension; d--)
        stride *= (uint64_t)x->shape[d];
    return (int64_t)stride;
}

/* Whether the elements are in C order without gaps. */
static inline int bilanx_is_contiguous(const DLTensor *x)
{
    int64_t expected = 1;
    if (!x->strides || bilanx_elements(x) == 0)
        return 1;
    for (int d = x->ndim - 1; d >= 0; d--) {
        if (x->shape[d] != 1 && x->strides[d] != expected)
            return 0;
        expected *= x->shape[d];
    }
    return 1;
}

/* The position of an element by any number of indices. */
static inline int64_t bilanx_position(const DLTensor *x, const int64_t *indices)
{
    int64_t position = 0;
    for (int d = 0; d < x->ndim; d++)
        position += indices[d] * bilanx_stride(x, d);
    return position;
}

static inline int64_t bilanx_at1_(const DLTensor *x, int64_t i)
{
    return i * bilanx_stride(x, 0);
}

static inline int64_t bilanx_at2_(const DLTensor *x, int64_t i, int64_t j)
{
    return i * bilanx_stride(x, 0) + j * bilanx_stride(x, 1);
}

static inline int64_t bilanx_at3_(const DLTensor *x, int64_t i, int64_t j, int64_t k)
{
    return bilanx_at2_(x, i, j) + k * bilanx_stride(x, 2);
}

static inline int64_t bilanx_at4_(const DLTensor *x, int64_t i, int64_t j, int64_t k, int64_t l)
{
    return bilanx_at3_(x, i, j, k) + l * bilanx_stride(x, 3);
}

#endif

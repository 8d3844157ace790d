// kernels: the functions that the examples measure. Each works on tensors of any shape and strides.
#ifndef BILANX_ELEMENTS_H  // a statement with inputs has it already
#include <bilanx/elements.h>
#endif
#include <stdlib.h>
#include <string.h>

// The loops that visit a tensor: sizes and strides of up to three dimensions, outermost first.
struct nest {
    int64_t size[3], stride[3];
};

static struct nest nest_of(const DLTensor *x)
{
    struct nest nest = {{1, 1, 1}, {0, 0, 0}};
    for (int d = 0; d < x->ndim; d++) {
        nest.size[3 - x->ndim + d] = x->shape[d];
        nest.stride[3 - x->ndim + d] = x->strides[d];
    }
    return nest;
}

// Neighbours in memory can be added several at a time.
static float sum_row(const float *row, int64_t size, int64_t stride)
{
    float sum = 0;
    if (stride == 1)
        for (int64_t k = 0; k < size; k++)
            sum += row[k];
    else
        for (int64_t k = 0; k < size; k++)
            sum += row[k * stride];
    return sum;
}

static float sum_nest(const float *data, const struct nest *nest)
{
    float sum = 0;
    for (int64_t i = 0; i < nest->size[0]; i++)
        for (int64_t j = 0; j < nest->size[1]; j++)
            sum += sum_row(data + i * nest->stride[0] + j * nest->stride[1], nest->size[2],
                           nest->stride[2]);
    return sum;
}

// The sum of all elements, in the order of the indices.
static float sum_by_index(const DLTensor *x)
{
    struct nest nest = nest_of(x);
    return sum_nest(BILANX_DATA(float, x), &nest);
}

static void swap(struct nest *nest, int a, int b)
{
    int64_t size = nest->size[a], stride = nest->stride[a];
    nest->size[a] = nest->size[b], nest->stride[a] = nest->stride[b];
    nest->size[b] = size, nest->stride[b] = stride;
}

// The same in the order of memory: the smallest stride becomes the innermost loop.
static float sum_by_memory(const DLTensor *x)
{
    struct nest nest = nest_of(x);
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < 2; d++)
            if (nest.size[d] > 1 && nest.stride[d] < nest.stride[d + 1])
                swap(&nest, d, d + 1);
    return sum_nest(BILANX_DATA(float, x), &nest);
}

#define ELEMENTWISE(name, type, expression)                                                     \
    static void name(const DLTensor *x, type *out)                                              \
    {                                                                                           \
        struct nest nest = nest_of(x);                                                          \
        for (int64_t i = 0; i < nest.size[0]; i++)                                              \
            for (int64_t j = 0; j < nest.size[1]; j++)                                          \
                for (int64_t k = 0; k < nest.size[2]; k++) {                                    \
                    type a = BILANX_DATA(                                                       \
                        type, x)[i * nest.stride[0] + j * nest.stride[1] + k * nest.stride[2]]; \
                    *out++ = (expression);                                                      \
                }                                                                               \
    }
ELEMENTWISE(square_f32, float, a *a)
ELEMENTWISE(square_i32, int32_t, a *a)
ELEMENTWISE(relu_f32, float, a > 0 ? a : 0)
ELEMENTWISE(relu_i32, int32_t, a > 0 ? a : 0)

// A sparse matrix times a vector: as (row, column) and value, and as a dense matrix.
static void multiply_sparse(const DLTensor *indices, const DLTensor *values, const float *v,
                            float *out, int64_t rows)
{
    const int64_t *row = BILANX_DATA(int64_t, indices), *column = row + indices->strides[0];
    const float *value = BILANX_DATA(float, values);
    memset(out, 0, (size_t)rows * sizeof *out);
    for (int64_t i = 0; i < values->shape[0]; i++)
        out[row[i]] += value[i] * v[column[i]];
}

static float *dense_of(const DLTensor *indices, const DLTensor *values, int64_t rows,
                       int64_t columns)
{
    const int64_t *row = BILANX_DATA(int64_t, indices), *column = row + indices->strides[0];
    float *dense = calloc((size_t)(rows * columns), sizeof *dense);
    for (int64_t i = 0; dense && i < values->shape[0]; i++)
        dense[row[i] * columns + column[i]] += BILANX_DATA(float, values)[i];
    return dense;
}

static void multiply_dense(const float *matrix, const float *v, float *out, int64_t rows,
                           int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        float sum = 0;
        for (int64_t j = 0; j < columns; j++)
            sum += matrix[i * columns + j] * v[j];
        out[i] = sum;
    }
}

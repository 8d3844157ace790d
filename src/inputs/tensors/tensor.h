// tensor: makes a described tensor, in memory of this process.
//
// The element at indices (i, j, ...) is at position i * strides[0] + j * strides[1] + ... of the
// allocation, and its value is a function of the seed and of that position: fill.h. So two layouts
// of one shape hold different values. Only permutations go by the logical index instead.
#ifndef TENSORS_TENSOR_H
#define TENSORS_TENSOR_H

#include "inputs/tensors/sample.h"

// Checks whether such a tensor could exist, apart from its size. The message names the tensor.
struct bilanx_error tensor_check(const struct tensor_description *description);

// Sets the strides that follow from shape, steps and order: those of a contiguous tensor of
// shape x steps, its dimensions in that order in memory, of which each takes every step-th element.
// Strides that do not fit in 64 bits become INT64_MAX, which no tensor can be made with.
void tensor_lay_out(struct tensor_description *description);

// A dense tensor, filled with its data, and so are the gaps between its elements; but gaps of 512
// bytes and more in a tensor of 2 MiB and more are zero. Its deleter frees everything; it is safe
// to hand to any consumer of DLPack. A sparse one is made of two: see tensor_make_sparse().
struct bilanx_error tensor_make(const struct tensor_description *description,
                                DLManagedTensor **out);

// The COO form: int64 indices of shape (sparse_dimensions, nonzeros), and values of shape
// (nonzeros, dense dimensions...).
struct bilanx_error tensor_make_sparse(const struct tensor_description *description,
                                       DLManagedTensor **indices, DLManagedTensor **values);

void tensor_free(DLManagedTensor *tensor);  // calls its deleter; NULL is fine
SCOPE_POINTER(DLManagedTensor, tensor_free)

// The number of elements; the bytes of memory from the first element to the last, gaps included;
// the bytes that tensor_make() allocates, which include the gaps after the last element. UINT64_MAX
// stands for that and more.
uint64_t tensor_elements(const struct tensor_description *description);
uint64_t tensor_bytes(const struct tensor_description *description);
uint64_t tensor_allocation(const struct tensor_description *description);
bool tensor_is_contiguous(const struct tensor_description *description);

// "16x34x8324 f32, contiguous"; "64x473 f32, strides 1,128": for tables.
void tensor_describe(const struct tensor_description *description, struct text *out);

// Checks whether the functions below can read a tensor from an unknown source.
struct bilanx_error tensor_check_foreign(const DLTensor *tensor);

// A digest over the elements in logical order, the same for every layout of the same values.
uint64_t tensor_checksum(const DLTensor *tensor);

// Overwrites the elements, and nothing between them, as tensor_make() would fill them. Only the
// parts of the description that concern the data are used.
struct bilanx_error tensor_fill(const struct tensor_description *description, DLTensor *tensor);

#endif

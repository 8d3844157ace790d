// tensor: makes a described tensor, in memory of this process.
#ifndef TENSORS_TENSOR_H
#define TENSORS_TENSOR_H

#include "inputs/tensors/sample.h"

// A dense tensor, filled with its data. Its deleter frees everything; it is safe to hand to any
// consumer of DLPack. A sparse one is made of two: see tensor_make_sparse().
struct bilanx_error tensor_make(const struct tensor_description *description,
                                DLManagedTensor **out);

// The COO form: int64 indices of shape (sparse_dimensions, nonzeros), and values of shape
// (nonzeros, dense dimensions...).
struct bilanx_error tensor_make_sparse(const struct tensor_description *description,
                                       DLManagedTensor **indices, DLManagedTensor **values);

void tensor_free(DLManagedTensor *tensor);  // calls its deleter; NULL is fine
SCOPE_POINTER(DLManagedTensor, tensor_free)

// The number of elements; the bytes of memory from the first element to the last, gaps included.
uint64_t tensor_elements(const struct tensor_description *description);
uint64_t tensor_bytes(const struct tensor_description *description);
bool tensor_is_contiguous(const struct tensor_description *description);

// "16x34x8324 f32, contiguous"; "64x473 f32, strides 1,128": for tables.
void tensor_describe(const struct tensor_description *description, struct text *out);

// A digest over the elements in logical order, the same for every layout of the same values.
uint64_t tensor_checksum(const DLTensor *tensor);

#endif

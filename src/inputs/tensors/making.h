// making: steps of making tensors, shared within the room.
#ifndef TENSORS_MAKING_H
#define TENSORS_MAKING_H

#include "inputs/tensors/dtype.h"
#include "inputs/tensors/sample.h"

// A tensor whose elements are undefined.
struct bilanx_error tensor_make_empty(const struct tensor_description *description,
                                      DLManagedTensor **out);

// Fills a tensor and the gaps between its elements. `is_zero`: the memory is, so that gaps of
// 512 bytes and more can stay as they are.
void tensor_fill_memory(const struct tensor_description *description, DLTensor *tensor,
                        bool is_zero);

// Puts the tensor's name before an error.
struct bilanx_error tensor_blame(const struct tensor_description *description,
                                 struct bilanx_error error);

// Returns whether a type can hold the numbers 0 .. elements - 1.
struct bilanx_error tensor_check_permutation(const struct dtype *dtype, uint64_t elements);

#endif

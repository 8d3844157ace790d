// making: steps of making tensors, shared within the room.
#ifndef TENSORS_MAKING_H
#define TENSORS_MAKING_H

#include "inputs/tensors/dtype.h"
#include "inputs/tensors/sample.h"
#include "inputs/tensors/storage.h"

// A tensor whose elements are undefined.
struct bilanx_error tensor_make_empty(const struct tensor_description *description,
                                      DLManagedTensor **out);

// How much memory is used by the elements, in pages of this size, roughly.
uint64_t tensor_used_bytes(const struct tensor_description *description, uint64_t page_bytes);

// Fills a tensor and the gaps between its elements. In memory that is zero, gaps of 512 bytes and
// more stay as they are.
void tensor_fill_memory(const struct tensor_description *description, DLTensor *tensor,
                        const struct storage *storage);

// Puts the tensor's name before an error.
struct bilanx_error tensor_blame(const struct tensor_description *description,
                                 struct bilanx_error error);

// Checks whether a type can hold the numbers 0 .. elements - 1.
struct bilanx_error tensor_check_permutation(const struct dtype *dtype, uint64_t elements);

#endif

// tensor_compare: measures how much two tensors differ.
#ifndef TENSORS_TENSOR_COMPARE_H
#define TENSORS_TENSOR_COMPARE_H

#include <dlpack/dlpack.h>

#include "bilanx/tensor.h"

// Compares elements at equal indices. Shapes must be equal; strides and types may differ.
struct bilanx_error tensor_compare(const DLTensor *actual, const DLTensor *expected,
                                   const struct bilanx_tolerance *tolerance,
                                   struct bilanx_tensor_difference *out);

#endif

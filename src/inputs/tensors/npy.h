// npy: writes a tensor to a file that numpy.load() opens.
#ifndef TENSORS_NPY_H
#define TENSORS_NPY_H

#include <dlpack/dlpack.h>
#include <stdbool.h>

#include "bilanx/error.h"

// Writes the elements in C order, whatever the strides. numpy has no bf16: such elements become
// float32, which holds each of their values. `is_bool`: elements of type u8 are booleans. Replaces
// an existing .npy file and refuses to replace any other file.
struct bilanx_error npy_save(const DLTensor *tensor, bool is_bool, const char *path);

#endif

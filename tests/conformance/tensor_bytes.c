// Prints a checksum of each type and distribution: the same everywhere.
#include <inttypes.h>
#include <stdio.h>

#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor.h"

static const struct {
    enum tensor_fill fill;
    double low, high;
} kinds[] = {{TENSOR_UNIFORM, 0, 1},     {TENSOR_UNIFORM, 0, 100}, {TENSOR_NORMAL, 1, 3},
             {TENSOR_PERMUTATION, 0, 0}, {TENSOR_INDICES, 0, 77},  {TENSOR_UNIFORM, -0.3, 0.7}};

int main(void)
{
    for (const struct dtype *dtype = dtypes; dtype->name; dtype++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            struct tensor_description description = {.dtype = dtype->type,
                                                     .is_bool = dtype->is_bool,
                                                     .dimensions = 2,
                                                     .shape = {101, 70},
                                                     .steps = {2, 1},
                                                     .order = {1, 0},
                                                     .fill = kinds[i].fill,
                                                     .low = kinds[i].low,
                                                     .high = kinds[i].high,
                                                     .nan_share = i == 5 ? .1 : 0,
                                                     .inf_share = i == 5 ? .1 : 0,
                                                     .seed = i};
            DLManagedTensor *tensor;
            tensor_lay_out(&description);
            if (tensor_make(&description, &tensor).status != BILANX_OK)
                continue;
            printf("%s %zu %016" PRIx64 "\n", dtype->name, i, tensor_checksum(&tensor->dl_tensor));
            tensor_free(tensor);
        }
    return 0;
}

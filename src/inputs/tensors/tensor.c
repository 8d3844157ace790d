// tensor: makes tensors and fills them.
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bilanx/elements.h"
#include "dtype.h"
#include "fill.h"
#include "making.h"
#include "permutation.h"
#include "storage.h"
#include "stream.h"
#include "walk.h"

struct holder {
    DLManagedTensor managed;  // first: its address is that of the holder
    struct storage storage;
    int64_t shape[TENSOR_DIMENSIONS], strides[TENSOR_DIMENSIONS];
};

static void holder_delete(DLManagedTensor *managed)
{
    struct holder *holder = managed->manager_ctx;
    storage_done(&holder->storage);
    free(holder);
}

void tensor_free(DLManagedTensor *tensor)
{
    if (tensor && tensor->deleter)
        tensor->deleter(tensor);
}

struct bilanx_error tensor_make_empty(const struct tensor_description *description,
                                      DLManagedTensor **out)
{
    struct storage storage;
    BILANX_TRY(storage_make(tensor_allocation(description), &storage));
    struct holder *holder = mem_new(struct holder);
    holder->storage = storage;
    memcpy(holder->shape, description->shape, sizeof holder->shape);
    memcpy(holder->strides, description->strides, sizeof holder->strides);
    holder->managed = (DLManagedTensor){
        .dl_tensor = {.data = storage.memory,
                      .device = {kDLCPU, 0},
                      .ndim = description->dimensions,
                      .dtype = description->dtype,
                      .shape = holder->shape,
                      .strides = holder->strides},
        .manager_ctx = holder,
        .deleter = holder_delete,
    };
    *out = &holder->managed;
    return BILANX_SUCCESS;
}

// Gaps hold valid indices, too.
static struct tensor_description gaps_of_permutation(const struct tensor_description *description,
                                                     uint64_t elements)
{
    struct tensor_description gaps = *description;
    gaps.fill = TENSOR_INDICES;
    gaps.high = elements > 0 ? (double)elements : 1;
    return gaps;
}

#define PERMUTE(type)                                                            \
    do {                                                                         \
        type *element = (void *)run->data;                                       \
        for (int64_t i = 0; i < run->count; i++, index += run->index_step)       \
            element[i * run->stride] = (type)permutation_at(permutation, index); \
    } while (0)

static void permute_run(const struct permutation *permutation, const struct walk_run *run,
                        int64_t element_bytes)
{
    uint64_t index = run->index;
    if (element_bytes == 1)
        PERMUTE(uint8_t);
    else if (element_bytes == 2)
        PERMUTE(walk_16);
    else if (element_bytes == 4)
        PERMUTE(walk_32);
    else
        PERMUTE(walk_64);
}

static void permute(uint64_t seed, DLTensor *tensor)
{
    struct permutation permutation;
    struct walk walk;
    struct walk_run run;
    permutation_init(&permutation, (uint64_t)bilanx_elements(tensor),
                     stream_key(seed, STREAM_PERMUTATION));
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run))
        permute_run(&permutation, &run, tensor->dtype.bits / 8);
}

struct bilanx_error tensor_make(const struct tensor_description *description, DLManagedTensor **out)
{
    BILANX_TRY(tensor_check(description));
    if (description->is_sparse)
        return tensor_blame(description,
                            bilanx_error_make(BILANX_E_USAGE, "it is sparse, not dense"));
    DLManagedTensor *tensor;
    BILANX_TRY(tensor_blame(description, tensor_make_empty(description, &tensor)));
    uint64_t elements = tensor_elements(description);
    bool is_permutation = description->fill == TENSOR_PERMUTATION;
    struct tensor_description filling =
        is_permutation ? gaps_of_permutation(description, elements) : *description;
    struct fill fill;
    fill_init(&fill, &filling);
    fill_elements(&fill, 0, tensor_allocation(description) / fill.dtype->size,
                  tensor->dl_tensor.data);
    if (is_permutation)
        permute(description->seed, &tensor->dl_tensor);
    *out = tensor;
    return BILANX_SUCCESS;
}

static void fill_run(const struct fill *fill, const struct walk_run *run, const char *origin)
{
    int64_t size = fill->dtype->size;
    int64_t position = (run->data - origin) / size;
    if (run->stride == 1) {
        fill_elements(fill, (uint64_t)position, (size_t)run->count, run->data);
        return;
    }
    for (int64_t i = 0; i < run->count; i++)
        fill_elements(fill, (uint64_t)(position + i * run->stride), 1,
                      run->data + i * run->stride * size);
}

struct bilanx_error tensor_fill(const struct tensor_description *description, DLTensor *tensor)
{
    BILANX_TRY(tensor_check_foreign(tensor));
    struct tensor_description filling = *description;
    filling.dtype = tensor->dtype;
    BILANX_TRY(fill_check(&filling));
    if (description->fill == TENSOR_PERMUTATION) {
        BILANX_TRY(tensor_check_permutation(dtype_of(filling.dtype, filling.is_bool),
                                            (uint64_t)bilanx_elements(tensor)));
        permute(description->seed, tensor);
        return BILANX_SUCCESS;
    }
    struct fill fill;
    struct walk walk;
    struct walk_run run;
    fill_init(&fill, &filling);
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run))
        fill_run(&fill, &run, BILANX_DATA(char, tensor));
    return BILANX_SUCCESS;
}

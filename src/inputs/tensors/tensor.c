// tensor: makes tensors.
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "making.h"
#include "storage.h"

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

// With steps along the outer dimensions, most of a huge page may be gaps. Small pages take 2 to 3
// times as long to make, for the same size.
static enum storage_pages pages_for(const struct tensor_description *description)
{
    static const double COST = 2.5;
    if (description->in_usual_pages)
        return STORAGE_USUAL;
    bool is_sparse = COST * (double)tensor_used_bytes(description, STORAGE_SMALL_PAGE) <
                     (double)tensor_used_bytes(description, STORAGE_HUGE_PAGE);
    return is_sparse ? STORAGE_SMALL : STORAGE_HUGE;
}

struct bilanx_error tensor_make_empty(const struct tensor_description *description,
                                      DLManagedTensor **out)
{
    struct storage storage;
    uint64_t bytes;
    if (__builtin_add_overflow(tensor_allocation(description), description->shift, &bytes))
        bytes = UINT64_MAX;
    BILANX_TRY(storage_make(bytes, pages_for(description), &storage));
    struct holder *holder = mem_new(struct holder);
    holder->storage = storage;
    memcpy(holder->shape, description->shape, sizeof holder->shape);
    memcpy(holder->strides, description->strides, sizeof holder->strides);
    holder->managed = (DLManagedTensor){
        .dl_tensor = {.data = (char *)storage.memory + description->shift,
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

struct bilanx_error tensor_make(const struct tensor_description *description, DLManagedTensor **out)
{
    BILANX_TRY(tensor_check(description));
    if (description->is_sparse)
        return tensor_blame(description,
                            bilanx_error_make(BILANX_E_USAGE, "it is sparse, not dense"));
    DLManagedTensor *tensor;
    BILANX_TRY(tensor_blame(description, tensor_make_empty(description, &tensor)));
    const struct holder *holder = tensor->manager_ctx;
    tensor_fill_memory(description, &tensor->dl_tensor, &holder->storage);
    *out = tensor;
    return BILANX_SUCCESS;
}

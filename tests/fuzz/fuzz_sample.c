// A line that is a sample is written in such a way that reading it again changes nothing, and what
// it says about its tensors can be computed. Small tensors can be made.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/tensors/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(const struct tensor_description *tensor)
{
    DLManagedTensor *first = NULL, *second = NULL;
    struct bilanx_error error = tensor->is_sparse ? tensor_make_sparse(tensor, &first, &second)
                                                  : tensor_make(tensor, &first);
    if (error.status == BILANX_OK)
        tensor_checksum(&first->dl_tensor);
    tensor_free(first);
    tensor_free(second);
}

static void look_at(const struct tensor_description *tensor)
{
    AUTO(text) struct text text = {0};
    tensor_describe(tensor, &text);
    tensor_is_contiguous(tensor);
    if (tensor_bytes(tensor) > tensor_allocation(tensor))
        abort();
    if (tensor_allocation(tensor) < 1 << 16 && tensor->nonzeros < 1 << 10)
        make(tensor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(memory) char *line = mem_text_n((const char *)data, size);
    AUTO(sample) struct sample sample = {0};
    AUTO(sample) struct sample again = {0};
    AUTO(text) struct text first = {0};
    AUTO(text) struct text second = {0};
    if (sample_read(line, &sample).status != BILANX_OK)
        return 0;
    for (size_t i = 0; i < sample.tensor_count; i++)
        look_at(&sample.tensors[i]);
    sample_write(&sample, &first);
    if (sample_read(text_get(&first), &again).status != BILANX_OK)
        abort();
    sample_write(&again, &second);
    if (strcmp(text_get(&first), text_get(&second)) != 0)
        abort();
    return 0;
}

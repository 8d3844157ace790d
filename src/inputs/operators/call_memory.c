// call_memory: blocks in a list, each from the C library.
#include "call_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct block {
    struct block *next;
    max_align_t bytes[];
};

struct call_memory {
    struct block *blocks;
};

struct call_memory *call_memory_new(void)
{
    return mem_new(struct call_memory);
}

void call_memory_free(struct call_memory *memory)
{
    if (!memory)
        return;
    for (struct block *block = memory->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(memory);
}

void *call_memory_zeroed(struct call_memory *memory, size_t count, size_t size)
{
    // Counts are those of a text in memory, so nothing here comes near to overflowing.
    struct block *block = mem_zeroed(1, sizeof *block + count * size);
    block->next = memory->blocks;
    memory->blocks = block;
    return block->bytes;
}

void *call_memory_copy(struct call_memory *memory, const void *bytes, size_t size)
{
    void *copy = call_memory_zeroed(memory, 1, size);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *call_memory_text(struct call_memory *memory, const char *text, size_t size)
{
    char *copy = call_memory_zeroed(memory, size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

DLTensor *call_memory_tensor(struct call_memory *memory, int dimensions)
{
    DLTensor *tensor = call_memory_zeroed(memory, 1, sizeof *tensor);
    tensor->device = (DLDevice){kDLCPU, 0};
    tensor->ndim = dimensions;
    tensor->shape = call_memory_zeroed(memory, (size_t)dimensions, sizeof *tensor->shape);
    tensor->strides = call_memory_zeroed(memory, (size_t)dimensions, sizeof *tensor->strides);
    return tensor;
}

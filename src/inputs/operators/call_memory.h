// call_memory: the memory of one call's values. It is freed as a whole.
#ifndef OPERATORS_CALL_MEMORY_H
#define OPERATORS_CALL_MEMORY_H

#include <stddef.h>

#include "bilanx/backend.h"

struct call_memory;

struct call_memory *call_memory_new(void);
void call_memory_free(struct call_memory *memory);

void *call_memory_zeroed(struct call_memory *memory, size_t count, size_t size);
void *call_memory_copy(struct call_memory *memory, const void *bytes, size_t size);
char *call_memory_text(struct call_memory *memory, const char *text, size_t size);

// A tensor without data, with room for its shape and strides.
DLTensor *call_memory_tensor(struct call_memory *memory, int dimensions);

#endif

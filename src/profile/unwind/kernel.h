// kernel: names of the kernel's functions.
#ifndef UNWIND_KERNEL_H
#define UNWIND_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct kernel;
struct kernel *kernel_new(void);
void kernel_free(struct kernel *kernel);
SCOPE_POINTER(kernel, kernel_free)

// Returns NULL if unknown, which all are if the kernel hides its addresses (kernel.kptr_restrict).
// `*module` may be NULL.
const char *kernel_name(const struct kernel *kernel, uint64_t address, const char **module);

#endif

// shift: calls a function with the stack and heap moved.
#include "shift.h"

#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((noinline)) void shift_call(uint64_t seed, void (*function)(void *context),
                                          void *context)
{
    // Start from a page boundary, because the size of the environment and of the frames above is
    // arbitrary.
    uintptr_t above = (uintptr_t)__builtin_frame_address(0) % 4096;
    char *stack = alloca(above + 16 * (seed % 256) + 16);
    char *heap = malloc(16 * (seed / 256 % 256) + 16);
    __asm__ volatile("" : : "r"(stack), "r"(heap) : "memory");
    function(context);
    free(heap);
}

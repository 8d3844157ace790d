// unwind: from the registers and the stack of a thread to the calls that led there.
//
// Uses the unwinding rules of each image, and frame pointers in code that has none.
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "core/worker/registers.h"
#include "space.h"

struct unwind_state {
    uint64_t registers[REGISTERS];
    const unsigned char *stack;  // copied from the stack pointer up
    size_t stack_bytes;
};

struct unwind_step {
    uint64_t address;  // of the code; of a caller, inside its call instruction
    uint64_t stack;    // stack pointer
};

// Stores up to `room` steps, innermost first. `*complete` tells whether the last one is where the
// thread begins. Returns their number.
size_t unwind(const struct space *space, const struct unwind_state *state,
              struct unwind_step *steps, size_t room, bool *complete);

#endif

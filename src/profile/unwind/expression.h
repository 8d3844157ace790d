// expression: evaluates the expressions of unwinding rules.
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/worker/registers.h"

struct expression_input {
    uint64_t values[REGISTERS];
    bool known[REGISTERS];
    uint64_t cfa;  // the frame's address
    bool (*read)(void *context, uint64_t address, uint64_t *out);
    void *context;
};

// The value of an expression. Returns false if it needs something unknown.
bool expression_value(const struct expression_input *input, const Dwarf_Op *operations,
                      size_t count, uint64_t *out);

// The caller's value of a register, which an expression locates: in memory, in another register, or
// computed.
bool expression_register(const struct expression_input *input, int number,
                         const Dwarf_Op *operations, size_t count, uint64_t *out);

#endif

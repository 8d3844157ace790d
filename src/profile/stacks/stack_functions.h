// stack_functions: what each function costs, over all stacks.
#ifndef STACKS_STACK_FUNCTIONS_H
#define STACKS_STACK_FUNCTIONS_H

#include "stacks.h"

struct stack_function {
    unsigned frame;
    double self, total;          // a recursive function counts once per stack
    double before[2], after[2];  // self and total of A and of B, in a difference
};

// Returns at most `most` functions, those that cost most by themselves first; in a difference,
// those whose own cost changed most, without those that did not change. Frames that stand for small
// ones are left out. The caller frees the array.
struct stack_function *stack_functions(const struct stacks *stacks, size_t most, size_t *count);

#endif

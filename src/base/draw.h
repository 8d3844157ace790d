// draw: what two processes that are compared are given in common: it cancels.
//
// Two interpreters draw the seed of their hashes and the addresses of what they map, each its own,
// and these decide more of a time than most changes do. With one draw for both, and another one for
// the next two, what is left is the difference.
#ifndef BASE_DRAW_H
#define BASE_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct draw {
    uint64_t seed;  // 0: nothing is drawn here; each process draws for itself
    const char
        *hash_variable;  // of the environment, by which hashes are seeded; NULL: there is none
    bool addresses;      // as well: of use where both execute the same program
};

#define DRAW_LIMIT \
    "BILANX_STACK_LIMIT"  // the variable that tells a program the limit to go back to

// The limit of the stack that the child is to go back to; 0: nothing changes. `stack` is the one
// that the child starts with.
uint64_t draw_limit(const struct draw *draw, const struct rlimit *stack);

// In the child, before it executes its program: without the kernel's randomisation, the mappings
// begin below the largest stack that is allowed, so that this limit is our offset. Where a seccomp
// filter forbids it, the kernel draws as ever.
void draw_addresses(const struct draw *draw);

// In the program: the limit as it was, for its stacks and threads, and randomisation for programs
// that it executes.
void draw_undo(uint64_t limit);

#endif

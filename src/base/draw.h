// draw: random choices that two processes under comparison share, so that they cancel out.
//
// Each interpreter picks a random hash seed and random addresses for its mappings. These affect its
// speed more than most code changes do. We give both processes the same choice, and each new pair a
// new one, so that only the real difference remains.
#ifndef BASE_DRAW_H
#define BASE_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct draw {
    uint64_t seed;              // 0: no shared choice; each process makes its own
    const char *hash_variable;  // environment variable that seeds the hashes; NULL: none
    bool addresses;             // also share addresses; useful if both run the same program
};

#define DRAW_LIMIT "BILANX_STACK_LIMIT"  // environment variable with the stack limit to restore

// Returns the stack limit that the child must restore; 0: unchanged. `stack` is the limit that the
// child starts with.
uint64_t draw_limit(const struct draw *draw, const struct rlimit *stack);

// Call this in the child before exec. Without address randomisation, mappings start below the
// largest allowed stack, so the stack limit sets their offset. If a seccomp filter forbids this,
// the kernel randomises as usual.
void draw_addresses(const struct draw *draw);

// Call this in the program. Restores the stack limit, for its stacks and threads, and address
// randomisation, for programs it executes.
void draw_undo(uint64_t limit);

#endif

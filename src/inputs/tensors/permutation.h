// permutation: the numbers 0 .. n - 1 in random order, each by itself, without a list of them.
//
// A Feistel network over the smallest power of two that holds n, but at least 256, entered again
// until the result is below n: on average less than twice.
#ifndef TENSORS_PERMUTATION_H
#define TENSORS_PERMUTATION_H

#include <stdint.h>

enum { PERMUTATION_ROUNDS = 8 };

struct permutation {
    uint64_t size;
    unsigned left_bits, right_bits;
    uint64_t keys[PERMUTATION_ROUNDS];
};

void permutation_init(struct permutation *permutation, uint64_t size, uint64_t key);

// The number at place i, for i < size.
uint64_t permutation_at(const struct permutation *permutation, uint64_t i);

#endif

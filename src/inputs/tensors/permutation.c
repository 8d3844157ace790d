// permutation: a Feistel network with halves that may differ by a bit.
#include "permutation.h"

#include "stream.h"

void permutation_init(struct permutation *permutation, uint64_t size, uint64_t key)
{
    unsigned bits = 8;  // with fewer, some orders of a few numbers are much likelier than others
    while (bits < 64 && (size - 1) >> bits)
        bits++;
    *permutation = (struct permutation){size, bits / 2, bits - bits / 2, {0}};
    for (unsigned round = 0; round < PERMUTATION_ROUNDS; round++)
        permutation->keys[round] = stream_mix(key + (round + 1) * STREAM_STEP);
}

static uint64_t encrypt(const struct permutation *permutation, uint64_t number)
{
    uint64_t left_mask = ((uint64_t)1 << permutation->left_bits) - 1;
    uint64_t right_mask = ((uint64_t)1 << permutation->right_bits) - 1;
    uint64_t left = number >> permutation->right_bits, right = number & right_mask;
    for (unsigned round = 0; round < PERMUTATION_ROUNDS; round += 2) {
        left ^= stream_mix(right ^ permutation->keys[round]) & left_mask;
        right ^= stream_mix(left ^ permutation->keys[round + 1]) & right_mask;
    }
    return left << permutation->right_bits | right;
}

uint64_t permutation_at(const struct permutation *permutation, uint64_t i)
{
    uint64_t number = encrypt(permutation, i);
    while (number >= permutation->size)
        number = encrypt(permutation, number);
    return number;
}

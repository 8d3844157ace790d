// mersenne: the random numbers of numpy.random.RandomState, draw for draw.
//
// A Mersenne Twister (MT19937) with numpy's legacy seeding and distributions, which are frozen: the
// same seed and the same calls give the same numbers in every version of numpy. So a sample drawn
// here equals the one that torch.utils.benchmark draws.
#ifndef FUZZER_MERSENNE_H
#define FUZZER_MERSENNE_H

#include <stddef.h>
#include <stdint.h>

enum { MERSENNE_WORDS = 624 };

struct mersenne {
    uint32_t words[MERSENNE_WORDS];
    size_t used;
};

void mersenne_init(struct mersenne *random, uint32_t seed);  // RandomState(seed)
uint32_t mersenne_bits(struct mersenne *random);
double mersenne_unit(struct mersenne *random);  // random_sample(): in [0, 1)

// randint(low, high + 1): an integer in [low, high]. Takes nothing if they are equal.
int64_t mersenne_between(struct mersenne *random, int64_t low, int64_t high);

// choice(count, p=...): the first whose cumulative probability exceeds one draw. The last of
// `cumulative` is 1.
size_t mersenne_choose(struct mersenne *random, const double *cumulative, size_t count);

// permutation(count)
void mersenne_permute(struct mersenne *random, int *items, int count);

#endif

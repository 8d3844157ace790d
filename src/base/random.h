// random: reproducible random numbers for orders and layouts (xoshiro256**, seeded by splitmix64).
//
// Not for secrets, and not for fuzzed inputs: those use a generator with a fixed sequence.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);
uint64_t random_bits(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound);  // uniform in [0, bound)
double random_unit(struct random *random);                     // uniform in [0, 1)
void random_shuffle(struct random *random, size_t *items, size_t count);
uint64_t random_fresh_seed(void);  // different on every call

#endif

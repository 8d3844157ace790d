// random: reproducible random numbers.
#include "random.h"

#include <sys/random.h>
#include <time.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

void random_init(struct random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

uint64_t random_bits(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    uint64_t reject = -bound % bound;  // draws that would favour small results
    uint64_t bits;
    do
        bits = random_bits(random);
    while (bits < reject);
    return bits % bound;
}

double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

void random_shuffle(struct random *random, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, i);
        size_t item = items[i - 1];
        items[i - 1] = items[other];
        items[other] = item;
    }
}

uint64_t random_fresh_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
        return seed;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    seed = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
    return splitmix(&seed);
}

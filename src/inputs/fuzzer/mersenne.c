// mersenne: the random numbers of numpy.random.RandomState, draw for draw.
#include "mersenne.h"

#include <assert.h>

enum { SHIFT = 397 };  // distance of the words that the recurrence combines

void mersenne_init(struct mersenne *random, uint32_t seed)
{
    random->words[0] = seed;
    for (uint32_t i = 1; i < MERSENNE_WORDS; i++) {
        uint32_t last = random->words[i - 1];
        random->words[i] = UINT32_C(1812433253) * (last ^ last >> 30) + i;
    }
    random->used = MERSENNE_WORDS;
}

static void renew(struct mersenne *random)
{
    uint32_t *words = random->words;
    for (size_t i = 0; i < MERSENNE_WORDS; i++) {
        uint32_t joined = (words[i] & UINT32_C(0x80000000)) |
                          (words[(i + 1) % MERSENNE_WORDS] & UINT32_C(0x7fffffff));
        words[i] = words[(i + SHIFT) % MERSENNE_WORDS] ^ joined >> 1 ^
                   (joined & 1 ? UINT32_C(0x9908b0df) : 0);
    }
    random->used = 0;
}

uint32_t mersenne_bits(struct mersenne *random)
{
    if (random->used == MERSENNE_WORDS)
        renew(random);
    uint32_t bits = random->words[random->used++];
    bits ^= bits >> 11;
    bits ^= bits << 7 & UINT32_C(0x9d2c5680);
    bits ^= bits << 15 & UINT32_C(0xefc60000);
    return bits ^ bits >> 18;
}

static uint64_t bits64(struct mersenne *random)
{
    uint64_t high = mersenne_bits(random);  // in this order
    return high << 32 | mersenne_bits(random);
}

double mersenne_unit(struct mersenne *random)
{
    uint32_t high = mersenne_bits(random) >> 5, low = mersenne_bits(random) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

// In [0, most]: masks to the bits of `most` and draws again while that is too large.
static uint64_t up_to(struct mersenne *random, uint64_t most)
{
    if (most == 0)
        return 0;
    uint64_t mask = UINT64_MAX >> __builtin_clzll(most), drawn;
    do
        drawn = (most > UINT32_MAX ? bits64(random) : mersenne_bits(random)) & mask;
    while (drawn > most);
    return drawn;
}

int64_t mersenne_between(struct mersenne *random, int64_t low, int64_t high)
{
    assert(low <= high);
    return (int64_t)((uint64_t)low + up_to(random, (uint64_t)high - (uint64_t)low));
}

size_t mersenne_choose(struct mersenne *random, const double *cumulative, size_t count)
{
    double drawn = mersenne_unit(random);
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cumulative[middle] > drawn)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void mersenne_permute(struct mersenne *random, int *items, int count)
{
    for (int i = 0; i < count; i++)
        items[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)up_to(random, (uint64_t)i), moved = items[i];
        items[i] = items[j];
        items[j] = moved;
    }
}

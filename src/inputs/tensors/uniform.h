// uniform: uniformly distributed numbers from words of a stream.
#ifndef TENSORS_UNIFORM_H
#define TENSORS_UNIFORM_H

#include <stdint.h>

// In [0, 1), a multiple of 2^-53: 27 bits of the first word, then 26 of the second. In signed
// integers of 32 bits, which every processor converts in vectors.
static inline double uniform_from_words(uint32_t high, uint32_t low)
{
    double upper = (double)(int32_t)(high >> 5), lower = (double)(int32_t)(low >> 6);
    return (upper * 0x1p26 + lower) * 0x1p-53;
}

// In [0, 1), a multiple of 2^-precision, for up to 31 bits of precision.
static inline double uniform_from_word(uint32_t word, unsigned precision)
{
    double scale = 1.0 / (double)(1u << precision);
    return (double)(int32_t)(word >> (32 - precision)) * scale;
}

// In [0, count): a share of the interval of all 64-bit numbers for each. Shares differ by one of
// those, so no number is more likely than another by more than count / 2^64.
static inline uint64_t uniform_below(uint32_t high, uint32_t low, uint64_t count)
{
    __extension__ unsigned __int128 product =
        (unsigned __int128)((uint64_t)high << 32 | low) * count;
    return (uint64_t)(product >> 64);
}

#endif

// stream: random words by number: word i of a stream is a function of the stream's key and of i.
//
// So data can be made in any order, by any number of threads, and is the same on every processor:
// only additions, multiplications, shifts and exclusive ors of unsigned integers are involved.
//
// A stream is a sequence of blocks of 4096 words. Two rounds of a 64-bit mixer turn the key and the
// number of a block into three 32-bit keys, and a 32-bit hash with these turns the place in the
// block into a word. Each step has its reason:
//
// - 32-bit arithmetic, because processors multiply vectors of 32-bit numbers several times faster
// than of 64-bit numbers. Well-known generators by number, such as Philox, cost four times as much.
// - Three multiplications. The constants are those of "triple32" by Chris Wellons, the hash with
// the least bias that he found by search. With the two of his "lowbias32" instead, PractRand 0.95
// finds faults after 64 MB. - Keys between the multiplications. With one key that is added at the
// start, blocks would overlap: among 2^14 blocks, some hundred would contain pieces of others. -
// Short blocks. The hash is a permutation of 32 bits, so a block repeats no word. In 4096 words
// nobody can notice that; in 2^32 words one could.
//
// PractRand finds nothing in 8 GB of a stream, nor in 8 GB of the first 16 words of consecutive
// seeds. Unit tests check distribution, correlation of neighbours and of streams, and every bit.
#ifndef TENSORS_STREAM_H
#define TENSORS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_BLOCK = 4096 };  // words; part of the definition
#define STREAM_STEP \
    ((uint64_t)0x9E3779B97F4A7C15u)  // 2^64 / golden ratio: its multiples spread well

// Independent streams of the same tensor.
enum stream_purpose { STREAM_VALUES, STREAM_EXCEPTIONS, STREAM_INDICES, STREAM_PERMUTATION };

uint64_t stream_key(uint64_t seed, enum stream_purpose purpose);

// Words first .. first + count - 1.
void stream_words(uint64_t key, uint64_t first, size_t count, uint32_t *out);

// The same as numbers in [0, 1): the upper 24 bits of each word, times 2^-24.
void stream_floats(uint64_t key, uint64_t first, size_t count, float *out);

// The mixer: a permutation of 64 bits.
static inline uint64_t stream_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// The loops are compiled for several kinds of processor. The first one that runs here is used; a
// test compares them all.
struct stream_keys {
    uint32_t a, b, c;
};
struct stream_loops {
    const char *name;
    bool (*runs_here)(void);
    void (*words)(struct stream_keys keys, uint32_t first, uint32_t count, uint32_t *out);
    void (*floats)(struct stream_keys keys, uint32_t first, uint32_t count, float *out);
};
extern const struct stream_loops stream_loops[];  // ends with one that runs everywhere

#endif

// stream: random words by number.
#include "stream.h"

static const uint32_t STEP = 0x9E3779B9u;

// A word from its place in the block, times STEP, plus the first key.
static inline uint32_t hash(struct stream_keys keys, uint32_t x)
{
    x = (x ^ x >> 17) * 0xED5AD4BBu + keys.b;
    x = (x ^ x >> 11) * 0xAC4C1B51u + keys.c;
    x = (x ^ x >> 15) * 0x31848BABu;
    return x ^ x >> 14;
}

// Compiled anew in each of the variants below, with the instructions that these may use.
#define LOOP static inline __attribute__((always_inline)) void

LOOP loop_words(struct stream_keys keys, uint32_t first, uint32_t count, uint32_t *out)
{
    uint32_t x = first * STEP + keys.a;
    for (uint32_t i = 0; i < count; i++, x += STEP)
        out[i] = hash(keys, x);
}

LOOP loop_floats(struct stream_keys keys, uint32_t first, uint32_t count, float *out)
{
    uint32_t x = first * STEP + keys.a;
    for (uint32_t i = 0; i < count; i++, x += STEP)
        out[i] = (float)(int32_t)(hash(keys, x) >> 8) * 0x1p-24f;
}

#define VARIANT(name, attributes)                                                                 \
    attributes static void words_##name(struct stream_keys keys, uint32_t first, uint32_t count,  \
                                        uint32_t *out)                                            \
    {                                                                                             \
        loop_words(keys, first, count, out);                                                      \
    }                                                                                             \
    attributes static void floats_##name(struct stream_keys keys, uint32_t first, uint32_t count, \
                                         float *out)                                              \
    {                                                                                             \
        loop_floats(keys, first, count, out);                                                     \
    }

// Selected by a call, not by the dynamic linker (target_clones), because this works in static
// programs, with every C library and with sanitizers.
#ifdef __x86_64__
VARIANT(avx512, __attribute__((target("avx512f"))))
VARIANT(avx2, __attribute__((target("avx2"))))

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif
VARIANT(portable, )

static bool always(void)
{
    return true;
}

const struct stream_loops stream_loops[] = {
#ifdef __x86_64__
    {"avx512", has_avx512, words_avx512, floats_avx512},
    {"avx2", has_avx2, words_avx2, floats_avx2},
#endif
    {"portable", always, words_portable, floats_portable},
};

static const struct stream_loops *best_loops(void)
{
    const struct stream_loops *loops = stream_loops;
    while (!loops->runs_here())
        loops++;
    return loops;
}

uint64_t stream_key(uint64_t seed, enum stream_purpose purpose)
{
    return stream_mix(stream_mix(seed + STREAM_STEP) + (uint64_t)purpose * STREAM_STEP);
}

static struct stream_keys keys_of_block(uint64_t key, uint64_t block)
{
    uint64_t first = stream_mix(key + block * STREAM_STEP);
    uint64_t second = stream_mix(first ^ STREAM_STEP);
    return (struct stream_keys){(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second};
}

// The part of [first, first + count) that is in the block of `first`.
static uint32_t part_in_block(uint64_t first, size_t count)
{
    uint32_t rest = STREAM_BLOCK - (uint32_t)(first % STREAM_BLOCK);
    return count < rest ? (uint32_t)count : rest;
}

void stream_words(uint64_t key, uint64_t first, size_t count, uint32_t *out)
{
    const struct stream_loops *loops = best_loops();
    while (count > 0) {
        uint32_t part = part_in_block(first, count);
        loops->words(keys_of_block(key, first / STREAM_BLOCK), (uint32_t)(first % STREAM_BLOCK),
                     part, out);
        first += part, out += part, count -= part;
    }
}

void stream_floats(uint64_t key, uint64_t first, size_t count, float *out)
{
    const struct stream_loops *loops = best_loops();
    while (count > 0) {
        uint32_t part = part_in_block(first, count);
        loops->floats(keys_of_block(key, first / STREAM_BLOCK), (uint32_t)(first % STREAM_BLOCK),
                      part, out);
        first += part, out += part, count -= part;
    }
}

// own_lz: a compressor that finds repetitions with a hash table, like lz4.
#include <stdint.h>
#include <string.h>

#include "work.h"

enum { SIZE = 2048, HASHES = 512, SHORTEST = 4 };
static uint8_t pattern[SIZE], packed[2 * SIZE];

static uint32_t load(const uint8_t *at);
static uint32_t hash_of(uint32_t word);
static size_t count_equal(const uint8_t *a, const uint8_t *b, const uint8_t *end);
static uint8_t *write_length(uint8_t *out, size_t length);
static uint8_t *write_literals(uint8_t *out, const uint8_t *from, size_t count);
static size_t compress(const uint8_t *in, size_t size, uint8_t *out);

// Definitions, in any order.

static uint32_t load(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint32_t hash_of(uint32_t word)
{
    return (word * 2654435761u) >> 23;
}

static size_t count_equal(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *start = b;
    while (b < end && *a == *b)
        a++, b++;
    return (size_t)(b - start);
}

static uint8_t *write_length(uint8_t *out, size_t length)
{
    for (; length >= 255; length -= 255)
        *out++ = 255;
    *out++ = (uint8_t)length;
    return out;
}

static uint8_t *write_literals(uint8_t *out, const uint8_t *from, size_t count)
{
    out = write_length(out, count);
    memcpy(out, from, count);
    return out + count;
}

static size_t compress(const uint8_t *in, size_t size, uint8_t *out)
{
    uint16_t places[HASHES] = {0};
    const uint8_t *start = in, *literals = in, *end = in + size;
    uint8_t *first = out;
    for (const uint8_t *at = in; at + SHORTEST <= end;) {
        uint32_t word = load(at), hash = hash_of(word);
        const uint8_t *candidate = start + places[hash];
        places[hash] = (uint16_t)(at - start);
        if (candidate >= at || load(candidate) != word) {
            at++;
            continue;
        }
        size_t length = count_equal(candidate + SHORTEST, at + SHORTEST, end) + SHORTEST;
        out = write_literals(out, literals, (size_t)(at - literals));
        out = write_length(out, (size_t)(at - candidate));
        out = write_length(out, length - SHORTEST);
        literals = at += length;
    }
    out = write_literals(out, literals, (size_t)(end - literals));
    return (size_t)(out - first);
}

void prepare(void)
{
    for (int i = 0; i < SIZE; i++)
        pattern[i] = (uint8_t)(i * i >> 5 & 63);
    size_t size = compress(pattern, SIZE, packed);
    EXPECT(size > 64 && size < SIZE);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(compress(pattern, SIZE, packed));
}

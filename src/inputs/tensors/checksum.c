// checksum: a digest of a tensor's elements.
//
// The sum, modulo 2^64, of a hash of each element and its index in C order. A sum does not depend
// on the order of its terms, so elements are visited in the order of memory. An element is a number
// of up to 64 bits, padded with zeros; a c128 is two, with indices 2i and 2i + 1. The sum and the
// number of elements are mixed once more.
#include "bilanx/elements.h"
#include "stream.h"
#include "tensor.h"
#include "walk.h"

static inline uint64_t term(uint64_t bits, uint64_t index)
{
    uint64_t x = (bits ^ index * 0x9E3779B97F4A7C15u) * 0xD1342543DE82EF95u;
    x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 29;
}

#define SUM(type)                                               \
    do {                                                        \
        const type *element = (const void *)run->data;          \
        for (int64_t i = 0; i < run->count; i++, index += step) \
            sum += term(element[i * run->stride], index);       \
    } while (0)

static uint64_t sum_of_run(const struct walk_run *run, int64_t element_bytes)
{
    uint64_t sum = 0, index = run->index, step = run->index_step;
    if (element_bytes == 1)
        SUM(uint8_t);
    else if (element_bytes == 2)
        SUM(walk_16);
    else if (element_bytes == 4)
        SUM(walk_32);
    else if (element_bytes == 8)
        SUM(walk_64);
    else
        for (int64_t i = 0; i < run->count; i++, index += step) {
            const walk_64 *halves = (const walk_64 *)(const void *)run->data + 2 * i * run->stride;
            sum += term(halves[0], 2 * index) + term(halves[1], 2 * index + 1);
        }
    return sum;
}

uint64_t tensor_checksum(const DLTensor *tensor)
{
    if (tensor_check_foreign(tensor).status != BILANX_OK)
        return 0;
    struct walk walk;
    struct walk_run run;
    uint64_t sum = 0;
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run))
        sum += sum_of_run(&run, tensor->dtype.bits / 8);
    return stream_mix(sum ^ stream_mix((uint64_t)bilanx_elements(tensor) + STREAM_STEP));
}

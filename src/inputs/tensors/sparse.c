// sparse: tensors in coordinate format: the places and values of nonzero elements.
//
// Coalesced, the places are all different and in order. Uncoalesced, the second half repeats the
// places of the first, so that coalescing has work to do, as with PyTorch's sparse fuzzers.
#include <stdlib.h>
#include <string.h>

#include "making.h"
#include "permutation.h"
#include "storage.h"
#include "stream.h"
#include "tensor.h"
#include "uniform.h"

static struct tensor_description indices_of(const struct tensor_description *description)
{
    struct tensor_description indices = {
        .name = description->name,
        .dtype = dtype_find("i64")->type,
        .dimensions = 2,
        .shape = {description->sparse_dimensions, description->nonzeros},
        .steps = {1, 1},
        .order = {0, 1},
    };
    tensor_lay_out(&indices);
    return indices;
}

// One row of dense dimensions per nonzero.
static struct tensor_description values_of(const struct tensor_description *description)
{
    struct tensor_description values = *description;
    int sparse = description->sparse_dimensions;
    values.is_sparse = false;
    values.dimensions = 1 + description->dimensions - sparse;
    values.shape[0] = description->nonzeros;
    for (int d = 1; d < values.dimensions; d++)
        values.shape[d] = description->shape[sparse + d - 1];
    for (int d = 0; d < values.dimensions; d++) {
        values.steps[d] = 1;
        values.order[d] = d;
    }
    tensor_lay_out(&values);
    return values;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

// Sorts numbers below 2^bits, digit by digit from the lowest; `spare` has the same size. Returns
// the one of both that holds the result.
static uint64_t *sort(uint64_t *numbers, uint64_t *spare, size_t count, unsigned bits)
{
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        size_t starts[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(numbers[i] >> shift) % DIGITS + 1]++;
        for (size_t digit = 1; digit < DIGITS; digit++)
            starts[digit] += starts[digit - 1];
        for (size_t i = 0; i < count; i++)
            spare[starts[(numbers[i] >> shift) % DIGITS]++] = numbers[i];
        uint64_t *swapped = numbers;
        numbers = spare;
        spare = swapped;
    }
    return numbers;
}

// Different places in order: the first ones of a random order of all, sorted.
static uint64_t *coalesced_places(uint64_t key, size_t count, uint64_t all, uint64_t *memory)
{
    struct permutation permutation;
    permutation_init(&permutation, all, key);
    for (size_t i = 0; i < count; i++)
        memory[i] = permutation_at(&permutation, i);
    return sort(memory, memory + count, count, permutation.left_bits + permutation.right_bits);
}

static uint64_t *uncoalesced_places(uint64_t key, size_t count, uint64_t all, uint64_t *memory)
{
    size_t half = (count + 1) / 2;
    for (size_t i = 0; i < half; i++) {
        uint32_t words[2];
        stream_words(key, 2 * i, 2, words);
        memory[i] = uniform_below(words[0], words[1], all);
    }
    memcpy(memory + half, memory, (count - half) * sizeof *memory);
    return memory;
}

// Splits each place into its coordinates.
static void spread(const uint64_t *places, const struct tensor_description *description,
                   int64_t *out)
{
    size_t count = (size_t)description->nonzeros;
    for (size_t i = 0; i < count; i++) {
        uint64_t place = places[i];
        for (int d = description->sparse_dimensions - 1; d >= 0; d--) {
            out[(size_t)d * count + i] = (int64_t)(place % (uint64_t)description->shape[d]);
            place /= (uint64_t)description->shape[d];
        }
    }
}

static struct bilanx_error make_indices(const struct tensor_description *description,
                                        DLManagedTensor **out)
{
    uint64_t all = 1, key = stream_key(description->seed, STREAM_INDICES);
    for (int d = 0; d < description->sparse_dimensions; d++)
        if (__builtin_mul_overflow(all, (uint64_t)description->shape[d], &all) || all > INT64_MAX)
            return bilanx_error_make(BILANX_E_USAGE, "its sparse dimensions have too many places");
    struct tensor_description indices = indices_of(description);
    AUTO(DLManagedTensor) DLManagedTensor *made = NULL;
    BILANX_TRY(tensor_make_empty(&indices, &made));
    size_t count = (size_t)description->nonzeros;
    AUTO(storage) struct storage memory = {
        0};  // of all places, twice; `made` has room for them once
    BILANX_TRY(storage_make(2 * count * sizeof(uint64_t), STORAGE_HUGE, &memory));
    uint64_t *places = description->is_coalesced
                           ? coalesced_places(key, count, all, memory.memory)
                           : uncoalesced_places(key, count, all, memory.memory);
    spread(places, description, made->dl_tensor.data);
    *out = TAKE(made);
    return BILANX_SUCCESS;
}

struct bilanx_error tensor_make_sparse(const struct tensor_description *description,
                                       DLManagedTensor **indices, DLManagedTensor **values)
{
    BILANX_TRY(tensor_check(description));
    if (!description->is_sparse)
        return tensor_blame(description,
                            bilanx_error_make(BILANX_E_USAGE, "it is dense, not sparse"));
    struct tensor_description rows = values_of(description);
    AUTO(DLManagedTensor) DLManagedTensor *made = NULL;
    DLManagedTensor *where = NULL;
    BILANX_TRY(tensor_make(&rows, &made));
    BILANX_TRY(tensor_blame(description, make_indices(description, &where)));
    *indices = where;
    *values = TAKE(made);
    return BILANX_SUCCESS;
}

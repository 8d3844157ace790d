// filling: gives the elements of a tensor their values.
#include "bilanx/elements.h"
#include "dtype.h"
#include "fill.h"
#include "making.h"
#include "permutation.h"
#include "stream.h"
#include "tensor.h"
#include "walk.h"

#define PERMUTE(type)                                                            \
    do {                                                                         \
        type *element = (void *)run->data;                                       \
        for (int64_t i = 0; i < run->count; i++, index += run->index_step)       \
            element[i * run->stride] = (type)permutation_at(permutation, index); \
    } while (0)

static void permute_run(const struct permutation *permutation, const struct walk_run *run,
                        int64_t element_bytes)
{
    uint64_t index = run->index;
    if (element_bytes == 1)
        PERMUTE(uint8_t);
    else if (element_bytes == 2)
        PERMUTE(walk_16);
    else if (element_bytes == 4)
        PERMUTE(walk_32);
    else
        PERMUTE(walk_64);
}

static void permute(uint64_t seed, DLTensor *tensor)
{
    struct permutation permutation;
    struct walk walk;
    struct walk_run run;
    permutation_init(&permutation, (uint64_t)bilanx_elements(tensor),
                     stream_key(seed, STREAM_PERMUTATION));
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run))
        permute_run(&permutation, &run, tensor->dtype.bits / 8);
}

enum { LARGE_GAP = 512 };  // bytes; to fill less costs as much as to start anew behind it

// Positions that are to be filled.
struct segment {
    int64_t first, end;
};

// A tensor that is being filled.
struct filling {
    struct fill fill;
    const struct storage *storage;
    char *data;
};

static void fill_segment(const struct filling *filling, struct segment segment)
{
    size_t count = (size_t)(segment.end - segment.first), size = filling->fill.dtype->size;
    char *start = filling->data + segment.first * (int64_t)size;
    storage_provide(filling->storage, start, count * size);
    fill_elements(&filling->fill, (uint64_t)segment.first, count, start);
}

// Adds positions to a segment; if they are far away, fills it and starts another.
static void extend(const struct filling *filling, struct segment *segment, int64_t first,
                   int64_t end)
{
    int64_t gap = (first - segment->end) * filling->fill.dtype->size;
    if (first < segment->first || gap >= LARGE_GAP) {
        fill_segment(filling, *segment);
        *segment = (struct segment){first, end};
    } else if (end > segment->end) {
        segment->end = end;
    }
}

// Leaves large gaps alone. With steps along the outer dimensions, most of the memory is gaps, much
// of which need not even be allocated.
static void fill_elements_and_small_gaps(const struct filling *filling, const DLTensor *tensor)
{
    struct walk walk;
    struct walk_run run;
    struct segment segment = {0};
    int64_t size = filling->fill.dtype->size;
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run)) {
        int64_t first = (run.data - filling->data) / size;
        if (run.stride * size < LARGE_GAP) {
            extend(filling, &segment, first, first + (run.count - 1) * run.stride + 1);
            continue;
        }
        for (int64_t i = 0; i < run.count; i++, first += run.stride)
            extend(filling, &segment, first, first + 1);
    }
    fill_segment(filling, segment);
}

// Gaps hold valid indices, too.
static struct tensor_description gaps_of_permutation(const struct tensor_description *description,
                                                     uint64_t elements)
{
    struct tensor_description gaps = *description;
    gaps.fill = TENSOR_INDICES;
    gaps.high = elements > 0 ? (double)elements : 1;
    return gaps;
}

void tensor_fill_memory(const struct tensor_description *description, DLTensor *tensor,
                        const struct storage *storage)
{
    struct tensor_description values = *description;
    bool is_permutation = description->fill == TENSOR_PERMUTATION;
    if (is_permutation)
        values = gaps_of_permutation(description, tensor_elements(description));
    struct filling filling = {.storage = storage, .data = tensor->data};
    const struct fill *fill = &filling.fill;
    fill_init(&filling.fill, &values);
    if (storage->is_mapped)
        fill_elements_and_small_gaps(&filling, tensor);
    else
        fill_elements(fill, 0, tensor_allocation(description) / fill->dtype->size, tensor->data);
    if (is_permutation)
        permute(description->seed, tensor);
}

static void fill_run(const struct fill *fill, const struct walk_run *run, const char *origin)
{
    int64_t size = fill->dtype->size;
    int64_t position = (run->data - origin) / size;
    if (run->stride == 1) {
        fill_elements(fill, (uint64_t)position, (size_t)run->count, run->data);
        return;
    }
    for (int64_t i = 0; i < run->count; i++)
        fill_elements(fill, (uint64_t)(position + i * run->stride), 1,
                      run->data + i * run->stride * size);
}

struct bilanx_error tensor_fill(const struct tensor_description *description, DLTensor *tensor)
{
    BILANX_TRY(tensor_check_foreign(tensor));
    struct tensor_description filling = *description;
    filling.dtype = tensor->dtype;
    BILANX_TRY(fill_check(&filling));
    if (description->fill == TENSOR_PERMUTATION) {
        BILANX_TRY(tensor_check_permutation(dtype_of(filling.dtype, filling.is_bool),
                                            (uint64_t)bilanx_elements(tensor)));
        permute(description->seed, tensor);
        return BILANX_SUCCESS;
    }
    struct fill fill;
    struct walk walk;
    struct walk_run run;
    fill_init(&fill, &filling);
    walk_start(&walk, tensor, WALK_MEMORY);
    while (walk_next(&walk, &run))
        fill_run(&fill, &run, BILANX_DATA(char, tensor));
    return BILANX_SUCCESS;
}

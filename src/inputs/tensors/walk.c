// walk: goes through a tensor run by run.
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "bilanx/elements.h"

static int by_stride(const void *a, const void *b)
{
    const struct walk_dimension *left = a, *right = b;
    int64_t stride = llabs(left->stride), other = llabs(right->stride);
    if (stride != other)
        return stride < other ? 1 : -1;
    // If strides are equal, they are 0, or one dimension has a single element, so any fixed order
    // works.
    return left->index_step < right->index_step ? 1 : left->index_step > right->index_step ? -1 : 0;
}

// Dimensions of one element do not matter.
static void add_dimensions(struct walk *walk, const DLTensor *tensor)
{
    uint64_t index_step = 1;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        if (tensor->shape[d] != 1)
            walk->dimensions[walk->count++] =
                (struct walk_dimension){tensor->shape[d], bilanx_stride(tensor, d), index_step, 0};
        index_step *= (uint64_t)tensor->shape[d];
    }
    for (int i = 0; i < walk->count / 2; i++) {
        struct walk_dimension swapped = walk->dimensions[i];
        walk->dimensions[i] = walk->dimensions[walk->count - 1 - i];
        walk->dimensions[walk->count - 1 - i] = swapped;
    }
}

static bool continues(const struct walk_dimension *outer, const struct walk_dimension *inner)
{
    return outer->stride == inner->stride * inner->count &&
           outer->index_step == inner->index_step * (uint64_t)inner->count;
}

static void join_dimensions(struct walk *walk)
{
    int joined = 0;
    for (int i = 1; i < walk->count; i++) {
        struct walk_dimension *outer = &walk->dimensions[joined], *inner = &walk->dimensions[i];
        if (continues(outer, inner)) {
            inner->count *= outer->count;
            *outer = *inner;
        } else {
            walk->dimensions[++joined] = *inner;
        }
    }
    if (walk->count > 0)
        walk->count = joined + 1;
}

void walk_start(struct walk *walk, const DLTensor *tensor, enum walk_order order)
{
    memset(walk, 0, sizeof *walk);
    walk->element_bytes = tensor->dtype.bits / 8;
    walk->is_done = bilanx_elements(tensor) == 0;
    if (walk->is_done)
        return;
    add_dimensions(walk, tensor);
    if (order == WALK_MEMORY && walk->count > 0)
        qsort(walk->dimensions, (size_t)walk->count, sizeof *walk->dimensions, by_stride);
    join_dimensions(walk);
    if (walk->count == 0)  // a scalar
        walk->dimensions[walk->count++] = (struct walk_dimension){1, 1, 1, 0};
    const struct walk_dimension *last = &walk->dimensions[walk->count - 1];
    walk->next = (struct walk_run){BILANX_DATA(char, tensor), last->count, last->stride, 0,
                                   last->index_step};
}

bool walk_next(struct walk *walk, struct walk_run *out)
{
    if (walk->is_done)
        return false;
    *out = walk->next;
    int d = walk->count - 2;
    for (; d >= 0; d--) {
        struct walk_dimension *dimension = &walk->dimensions[d];
        walk->next.data += dimension->stride * walk->element_bytes;
        walk->next.index += dimension->index_step;
        if (++dimension->at < dimension->count)
            return true;
        walk->next.data -= dimension->count * dimension->stride * walk->element_bytes;
        walk->next.index -= (uint64_t)dimension->count * dimension->index_step;
        dimension->at = 0;
    }
    walk->is_done = true;
    return true;
}

void walk_pack_start(struct walk_packer *packer, const DLTensor *tensor)
{
    memset(packer, 0, sizeof *packer);
    walk_start(&packer->walk, tensor, WALK_LOGICAL);
}

#define COPY(type)                             \
    do {                                       \
        type *to = out;                        \
        const type *from = (const void *)data; \
        for (int64_t i = 0; i < count; i++)    \
            to[i] = from[i * stride];          \
    } while (0)

static void copy(const char *data, int64_t count, int64_t stride, int64_t element_bytes, void *out)
{
    struct pair {
        walk_64 first, second;
    };
    if (stride == 1)
        memcpy(out, data, (size_t)(count * element_bytes));
    else if (element_bytes == 1)
        COPY(uint8_t);
    else if (element_bytes == 2)
        COPY(walk_16);
    else if (element_bytes == 4)
        COPY(walk_32);
    else if (element_bytes == 8)
        COPY(walk_64);
    else
        COPY(struct pair);
}

size_t walk_pack(struct walk_packer *packer, size_t most, void *out)
{
    int64_t bytes = packer->walk.element_bytes;
    size_t done = 0;
    while (done < most) {
        struct walk_run *run = &packer->run;
        if (packer->used == run->count) {
            if (!walk_next(&packer->walk, run))
                break;
            packer->used = 0;
        }
        int64_t left = run->count - packer->used, wanted = (int64_t)(most - done);
        int64_t count = left < wanted ? left : wanted;
        copy(run->data + packer->used * run->stride * bytes, count, run->stride, bytes,
             (char *)out + done * (size_t)bytes);
        packer->used += count;
        done += (size_t)count;
    }
    return done;
}

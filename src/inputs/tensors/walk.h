// walk: all elements of a tensor, in runs of elements at equal distances.
//
// Dimensions that continue each other become one, so a contiguous tensor is a single run.
#ifndef TENSORS_WALK_H
#define TENSORS_WALK_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stdint.h>

enum { WALK_DIMENSIONS = 64 };  // at most; more than other libraries have

// Bits of an element, of any type and at any address.
typedef uint16_t __attribute__((may_alias, aligned(1))) walk_16;
typedef uint32_t __attribute__((may_alias, aligned(1))) walk_32;
typedef uint64_t __attribute__((may_alias, aligned(1))) walk_64;

enum walk_order {
    WALK_LOGICAL,  // by index, in C order
    WALK_MEMORY,   // by address, which is fast for every layout
};

struct walk_run {
    char *data;  // the first element
    int64_t count;
    int64_t stride;       // in elements
    uint64_t index;       // of the first element, in C order
    uint64_t index_step;  // between neighbours
};

struct walk {
    struct walk_dimension {
        int64_t count, stride;
        uint64_t index_step;
        int64_t at;
    } dimensions[WALK_DIMENSIONS];  // outermost first; the last one makes up the runs
    int count;
    int64_t element_bytes;
    struct walk_run next;
    bool is_done;
};

// The tensor has passed tensor_check_foreign().
void walk_start(struct walk *walk, const DLTensor *tensor, enum walk_order order);
bool walk_next(struct walk *walk, struct walk_run *out);  // false: there is no more

// Copies the next elements of a walk in logical order to packed memory, and returns how many: fewer
// than `most` only at the end.
struct walk_packer {
    struct walk walk;
    struct walk_run run;
    int64_t used;  // of the run
};
void walk_pack_start(struct walk_packer *packer, const DLTensor *tensor);
size_t walk_pack(struct walk_packer *packer, size_t most, void *out);

#endif

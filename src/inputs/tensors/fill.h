// fill: the values of a tensor's elements.
//
// A value is a function of the tensor's seed, type and distribution, and of the position of the
// element in memory. A complex element consists of two numbers. With n the number's position (of
// the second number of a complex element at position p: 2p + 1) and w the words of the tensor's
// stream:
//
// - uniform reals: low + u * (high - low), computed in double precision and rounded to the type,
//   but less than high. u has as many random bits as the type has bits of precision: for f16, bf16
//   and f32 the top 11, 8 and 24 bits of w[n], for f64 27 bits of w[2n] and 26 of w[2n + 1].
// - integers: low + floor(count * w / 2^32), with w[n] for types of 8 and 16 bits; for larger types
//   w[2n] and w[2n + 1] are one word of 64 bits.
// - normal: see normal.h.
//
// NaN and infinity replace other values: word p of another stream decides. Permutations are not
// made here, because they depend on the whole shape.
#ifndef TENSORS_FILL_H
#define TENSORS_FILL_H

#include <stddef.h>

#include "inputs/tensors/dtype.h"
#include "inputs/tensors/sample.h"

struct fill {
    const struct dtype *dtype;
    enum tensor_fill kind;
    uint64_t key, exception_key;
    double low, range;              // real; normal: mean and standard deviation
    double below;                   // the largest value less than the upper end
    int64_t least;                  // integer
    uint64_t count;                 // of integers; 0: 2^64
    uint64_t nan_limit, inf_limit;  // words below these are NaN or infinite
};

// Checks whether the data of a tensor is possible; messages do not name the tensor.
struct bilanx_error fill_check(const struct tensor_description *description);

// `description` has passed fill_check().
void fill_init(struct fill *fill, const struct tensor_description *description);

// The elements at positions first .. first + count - 1, packed.
void fill_elements(const struct fill *fill, uint64_t first, size_t count, void *out);

#endif

// content: the kinds of elements that a tensor can get, so that an operator can use them.
#ifndef OPERATORS_CONTENT_H
#define OPERATORS_CONTENT_H

#include "call_tensors.h"

enum content_kind {
    CONTENT_RANGE,     // uniform in [low, high)
    CONTENT_INDICES,   // integers in [0, bound)
    CONTENT_DISTINCT,  // all different along `dimension`; if negative, in the tensor
    CONTENT_MASK,      // exactly `bound` of them are true
    CONTENT_RAMP,      // integers that rise from 0 to just below `bound`
    CONTENT_SORTED,    // rising from low to high along the last dimension
    CONTENT_MATRIX,    // symmetric and positive definite
    CONTENT_WINDOWS,   // where the largest element of each window of a pooling was
};

struct content {
    enum content_kind kind;
    double low, high;
    int64_t bound;
    int dimension;
    const struct bilanx_call *call;  // of a pooling
};

struct content content_of(const struct bilanx_call *call, const struct value_place *place,
                          const struct bilanx_value *value);

// Overwrites elements of a filled tensor whose content depends on positions.
void content_finish(const struct content *content, uint64_t seed, DLTensor *tensor, bool is_bool);

#endif

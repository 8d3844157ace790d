// layout: the shape of a tensor for given values of the parameters, and where its elements are.
#ifndef FUZZER_LAYOUT_H
#define FUZZER_LAYOUT_H

#include "mersenne.h"
#include "spec.h"

struct layout {
    int dimensions;
    int64_t shape[TENSOR_DIMENSIONS], steps[TENSOR_DIMENSIONS];
    int order[TENSOR_DIMENSIONS];  // of dimensions in memory, outermost first
    int sparse_dimensions;         // 0: dense
    int64_t nonzeros;
    bool is_coalesced;
    uint64_t elements, bytes;  // UINT64_MAX: that or more
};

// Computes everything except the order. A size that no tensor can have is an error.
struct bilanx_error layout_measure(const struct spec *spec, const struct spec_tensor *tensor,
                                   const struct value *values, struct layout *out);

// Returns the limit that excludes the tensor, or SPEC_LIMITS.
enum spec_limit layout_exceeds(const struct spec *spec, const struct spec_tensor *tensor,
                               const struct layout *layout);

// Draws the order of a dense tensor's dimensions; a sparse one takes no draws.
void layout_draw_order(const struct spec_tensor *tensor, struct mersenne *random,
                       struct layout *layout);

// Describes the tensor, except for its elements. Too many elements or bytes are an error.
struct bilanx_error layout_describe(const struct spec *spec, const struct spec_tensor *tensor,
                                    const struct layout *layout, struct tensor_description *out);

#endif

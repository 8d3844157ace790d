// multiplier: products of matrices in any layout and type, for other routines.
#ifndef BACKENDS_REFERENCE_MULTIPLIER_H
#define BACKENDS_REFERENCE_MULTIPLIER_H

#include "backends/common/frame.h"

// For products of at most that depth: columns of the left, rows of the right matrix. Lasts until
// the run is over.
struct multiplier *multiplier_new(struct frame *frame, int64_t depth);

// out = addend + a * b; the addend may be NULL, or `out` itself.
void multiplier_run(struct multiplier *multiplier, const struct view *a, const struct view *b,
                    const struct view *addend, const struct view *out);

#endif

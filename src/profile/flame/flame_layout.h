// flame_layout: where the frames of a graph are drawn. The heaviest child is leftmost.
#ifndef FLAME_FLAME_LAYOUT_H
#define FLAME_FLAME_LAYOUT_H

#include "base/scope.h"
#include "profile/stacks/stacks.h"

struct flame_layout {
    unsigned *order;  // nodes, depth first, without the root
    size_t count;
    double *start;    // by node: left edge, in weight
    unsigned *depth;  // by node; the root has 0
    unsigned deepest;
};
void flame_layout_done(struct flame_layout *layout);
SCOPE_VALUE(flame_layout, flame_layout_done)

// The totals of the stacks must be valid.
void flame_layout_make(const struct stacks *stacks, struct flame_layout *out);

#endif

// trees: new stacks made from others. Nothing here changes its operands, and the caller frees the
// results. Totals of operands and results are valid: see stacks_sum().
#ifndef STACKS_TREES_H
#define STACKS_TREES_H

#include <stdbool.h>

#include "stacks.h"

// Adds all stacks of `from` to `into`, with their weights multiplied by `factor`, below the node
// `at`: 0 is the root. Call stacks_sum() afterwards.
void stacks_merge(struct stacks *into, unsigned at, const struct stacks *from, double factor);

// New stacks without nodes, but with the unit and all other facts of `from`.
struct stacks *stacks_like(const struct stacks *from);

// A copy with all nodes, but not of a difference.
struct stacks *stacks_copy(const struct stacks *from);

enum stacks_view {
    STACKS_CALLERS,  // the function at the root, its callers above it, and theirs
    STACKS_CALLEES,  // the function at the root, and what it calls
};

// The stacks that contain a function, seen from it. In a recursion, the outermost call counts, so
// each sample counts once. The name must match a frame's as a whole or, if none does, in part; the
// error suggests another.
struct bilanx_error stacks_focus(const struct stacks *stacks, const char *name,
                                 enum stacks_view view, struct stacks **out);

// Keeps the heaviest nodes: at most `most` of them, and none that weighs less than `least`. What is
// left out becomes one child of kind FRAME_SMALL of each node that lost children.
struct stacks *stacks_cut(const struct stacks *stacks, double least, size_t most);

enum stacks_scale {
    STACKS_AS_THEY_ARE,
    STACKS_PER_CALL,    // per call of the statement; samples become nanoseconds
    STACKS_NORMALIZED,  // A scaled to the total of B
};

// Both sides of a change in one tree. A node's weight is the larger of its two, so that what
// vanished is still there; `changes` has both. The sides must have the same unit, unless
// normalised.
struct bilanx_error stacks_difference(const struct stacks *a, const struct stacks *b,
                                      enum stacks_scale scale, struct stacks **out);

// Whether the weights can be converted to a cost per call.
bool stacks_have_calls(const struct stacks *stacks);

// Whether they are samples of something whose time per call was measured. Graphs then show parts of
// that time: stacks_per_call().
bool stacks_are_timed(const struct stacks *stacks);

// The stacks with weights per call, which must be possible; samples become nanoseconds.
struct stacks *stacks_per_call(const struct stacks *stacks);

// Whether the weight is a time in nanoseconds, "nanoseconds" or "nanoseconds per call".
bool stacks_are_times(const struct stacks *stacks);

#endif

// stacks: weighted call stacks, wherever they come from.
//
// Collectors (sampling, callgrind, files of other tools) add stacks; renderers read them. Frames
// are interned: the same name, file, object and kind is one frame with one number. Stacks that are
// equal are merged, and kept in a tree, so a million samples of a hundred paths take a hundred
// nodes.
//
//     struct stacks *stacks = stacks_new();
//     unsigned path[] = {stacks_frame(stacks, &(struct stack_frame){.name = "main"}),
//                        stacks_frame(stacks, &(struct stack_frame){.name = "parse"})};
//     stacks_add(stacks, path, 2, 1);           // root first
//     stacks_free(stacks);
#ifndef STACKS_STACKS_H
#define STACKS_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"

enum frame_kind {
    FRAME_NATIVE,
    FRAME_INLINED,  // native code without a frame of its own
    FRAME_PYTHON,
    FRAME_KERNEL,
    FRAME_THREAD,  // the name of a thread, at the root
    FRAME_JIT,     // code that no file contains
    FRAME_CUT,     // stands for callers that are not known
    FRAME_SMALL,   // stands for frames that were left out because they are small
    FRAME_KINDS,
};

struct stack_frame {   // strings may be NULL, except the name
    const char *name;  // demangled, or an address such as "0x401136"
    const char *file;  // source file
    const char *object;
    enum frame_kind kind;
};

// A node of the tree: a frame as called along one path. Node 0 is the root and has no frame. A
// node's number is greater than its parent's, so a loop over the nodes can replace a recursion.
struct stack_node {
    unsigned frame;
    unsigned parent, child, sibling;  // first child and next sibling; 0: none
    double self;                      // weight of the stacks that end here
    double total;                     // self and all descendants; valid after stacks_sum()
};

// The two sides of a node, in a difference.
struct stack_change {
    double self[2], total[2];  // A and B; the totals are valid after stacks_sum()
};

// Samples are taken in several short processes. What one of them says about a call.
struct stack_epoch {
    double calls, seconds;  // as in struct stacks; 0 seconds: it got no samples
};

struct stacks {
    char *unit;          // "samples", "instructions", "nanoseconds", ...
    char *title, *note;  // what was measured; overhead, lost samples and other remarks; may be NULL
    double calls;        // executions of the statement that the weights belong to; 0: unknown
    double seconds;      // measured time that they belong to; 0: unknown
    double lost;         // samples that could not be recorded
    double overhead;     // relative: what sampling added to the seconds, as far as it is known
    double timed_s;  // of a call, by a measurement: samples are shown as parts of it; 0: unknown
    struct stack_epoch *epochs;  // in order
    size_t epoch_count;
    struct stack_frame *frames;
    size_t frame_count;
    struct stack_node *nodes;
    size_t node_count;
    struct stack_change *changes;  // by node, in a difference; NULL otherwise
    void *index;                   // private: finds frames and children
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);
SCOPE_POINTER(stacks, stacks_free)

// The number of a frame, which is added if it is new. Strings are copied.
unsigned stacks_frame(struct stacks *stacks, const struct stack_frame *frame);

// Adds weight to the path from the root; frames[0] is the outermost.
void stacks_add(struct stacks *stacks, const unsigned *frames, size_t depth, double weight);

void stacks_sum(struct stacks *stacks);

// The same in steps: the node of a path and the child of a node, which are added if they are new.
// The caller adds to their `self`. A path without frames gets one that says so.
unsigned stacks_path(struct stacks *stacks, const unsigned *frames, size_t depth);
unsigned stacks_child(struct stacks *stacks, unsigned parent, unsigned frame);

// Adds an epoch to the list, not to `calls` and `seconds`.
void stacks_add_epoch(struct stacks *stacks, struct stack_epoch epoch);

// Returns the next node, depth first, starting from the root; 0 after the last.
unsigned stacks_next(const struct stacks *stacks, unsigned node);

// Replaces the unit; adds a remark to the note.
void stacks_set_unit(struct stacks *stacks, const char *unit);
void stacks_remark(struct stacks *stacks, const char *remark);

// The name of a kind, as in records: "native", "python", ...
extern const char *const frame_kind_names[FRAME_KINDS + 1];  // ends with NULL

#endif

// interleave: puts the frames of a language between the native ones, where they were called.
//
// The interpreter is a native function that runs frames of its language, one or several at a time:
// those that it was entered for and those that these have called directly. So a native stack with
// E calls of the interpreter belongs to E runs of frames.
#ifndef SAMPLING_INTERLEAVE_H
#define SAMPLING_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interleave_input {
    const bool *interpreter;  // by native frame, innermost first: whether it is the interpreter
    size_t native_count;
    const uint64_t *frames;  // of the language, innermost first; bit 0: the first of its run
    size_t frame_count;
    bool whole;  // the native stack is complete
};

struct interleave_item {
    bool native;
    size_t index;  // in the native frames, or in those of the language
};

// Stores all of them, innermost first. `out` has room for both counts together. Returns their
// number: frames of the language are left out if no call of the interpreter is left for them.
size_t interleave(const struct interleave_input *input, struct interleave_item *out);

#endif

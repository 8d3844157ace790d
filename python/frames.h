// frames: the Python frames of a thread, read from the interpreter's memory in a signal handler.
#ifndef PYTHON_FRAMES_H
#define PYTHON_FRAMES_H

#include "core/worker/sampler.h"

// Where the parts of the interpreter's structs are, in bytes.
struct frames_layout {
    int thread_frame;    // in a thread's state: the current frame, or a struct that has it
    int current;         // in that struct: the current frame; -1: there is no such struct
    int before;          // in that struct: the one before the interpreter was last entered
    int code, previous;  // in a frame
    int owner;
    int entry;  // 3.11: whether the interpreter was entered for this frame; -1: a frame on the C
                // stack is between this one and its caller
    int name, file, line;                      // in a code object
    int length, state, ascii_size, wide_size;  // in a string; where its characters are
};

struct frames {
    struct frames_layout layout;
    bool known;
    bool careful;         // reads memory only where it is
    uint64_t base;        // frame of the harness, at which a walk of its thread ends
    uint64_t base_state;  // state of that thread
    struct sampler_language language;
};

// Finds out where things are in this interpreter. Its internals differ from version to version.
void frames_init(struct frames *frames);

// Makes walks end at the frame that is current now.
void frames_set_base(struct frames *frames);

#endif

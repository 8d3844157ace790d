// python_frames: the Python frames of a thread, read from the interpreter's memory.
//
// For two readers in the process that is sampled: the worker for Python statements, and the library
// that is loaded into commands. Functions may be called in a signal handler.
#ifndef FRAMES_PYTHON_FRAMES_H
#define FRAMES_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the parts of the interpreter's structs are, in bytes.
struct python_layout {
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

// Finds the layout of a version such as 0x030b, which is loaded in this process. Returns false if
// it is not known.
bool python_layout_find(unsigned version, struct python_layout *out);

struct python_frames {
    struct python_layout layout;
    uint64_t (*thread_state)(void);  // of the calling thread; 0: Python does not know it
    uint64_t code_type;              // type of code objects, which are checked for it; 0: unknown
    bool careful;                    // reads memory only where it is
    uint64_t base;        // frame of the harness, at which a walk of its thread ends; 0: none
    uint64_t base_state;  // state of that thread
};

// Makes walks end at the frame that is current now.
void python_frames_set_base(struct python_frames *frames);

// As in struct sampler_language; the context is the struct python_frames.
size_t python_frames_walk(void *context, uint64_t *out, size_t room, bool again);
size_t python_frames_describe(void *context, uint64_t frame, char *out, size_t room,
                              uint64_t *line);
uint64_t python_frames_identify(void *context, uint64_t frame);

#endif

// interpreter: finds the interpreter of Python in this process.
#ifndef FRAMES_INTERPRETER_H
#define FRAMES_INTERPRETER_H

#include "profile/frames/python_frames.h"

enum interpreter_kind {
    INTERPRETER_NONE,
    INTERPRETER_KNOWN,
    INTERPRETER_UNKNOWN,  // its memory has a layout that we do not know
};

// `*version` is like "3.11.2 (main, ...", unless there is none. Finds only what was loaded with the
// program, not what it loads later.
enum interpreter_kind interpreter_find(struct python_frames *out, const char **version);

#endif

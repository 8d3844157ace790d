// frames: the Python frames of a thread, for the worker for Python statements.
#ifndef PYTHON_FRAMES_H
#define PYTHON_FRAMES_H

#include "core/worker/sampler.h"
#include "profile/frames/python_frames.h"

struct frames {
    struct python_frames reading;
    bool known;
    struct sampler_language language;
};

// Finds the offsets in this interpreter, whose internals differ from version to version.
void frames_init(struct frames *frames);

// Makes walks end at the frame that is current now.
void frames_set_base(struct frames *frames);

#endif

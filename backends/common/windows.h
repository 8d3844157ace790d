// windows: the windows that a pooling operator moves over images.
#ifndef BACKENDS_COMMON_WINDOWS_H
#define BACKENDS_COMMON_WINDOWS_H

#include "frame.h"

enum { SPACE = 2 };  // dimensions of an image

struct windows {
    struct view input;
    int64_t in[SPACE], out[SPACE], kernel[SPACE], stride[SPACE], padding[SPACE], dilation[SPACE];
    int64_t shape[SPACE + 2];  // of the result
    bool counts_padding;
    int64_t divisor;  // 0: the size of the window
};

// From the arguments self, kernel_size, stride and so on. Returns the reason if that is not
// possible, otherwise NULL.
const char *take_windows(const struct frame *frame, struct windows *windows);

#endif

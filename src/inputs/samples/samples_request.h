// samples_request: the inputs that a measurement should use. All text, so it can be part of any
// options.
#ifndef SAMPLES_SAMPLES_REQUEST_H
#define SAMPLES_SAMPLES_REQUEST_H

#include <stdint.h>

enum { SAMPLES_USUAL = 5, SAMPLES_MOST = 10000 };

struct samples_request {    // all but the specification may be left out
    const char *spec;       // a file, or the name of a shipped specification; NULL: no inputs
    const char *directory;  // the folder that its path is relative to; NULL: the current one
    uint64_t take;          // number of samples; 0: SAMPLES_USUAL
    const char *seed;       // instead of the specification's; NULL: that
    const char *dtype;      // of all tensors; NULL: as specified
    const char *order_by;   // a parameter, or SAMPLES_ELEMENTS; NULL: as drawn
    const char *as;         // Python: kind of tensors: torch, numpy or dlpack; NULL: detected
};

// Stands for the number of elements of the largest tensor. A parameter of this name comes first.
#define SAMPLES_ELEMENTS "elements"

#endif

// draw: one attempt at the values of all parameters.
#ifndef FUZZER_DRAW_H
#define FUZZER_DRAW_H

#include "mersenne.h"
#include "spec.h"

struct drawn {  // a parameter before its aliases are resolved
    struct value value;
    size_t alias;  // SPEC_NONE: `value`
};

// Draws all parameters in the order of their declaration into `drawn`, and resolves them into
// `values`. After the first attempt at a sample, strict parameters keep what they drew.
void draw_parameters(const struct spec *spec, struct mersenne *random, bool first_attempt,
                     struct drawn *drawn, struct value *values);

#endif

// wide: the same call in f64, for data whose intermediate values exceed f32.
//
// The sum of the squares of 1e20 is beyond f32, but their standard deviation is not. Adding up in
// f64 always would halve the speed of what is in the caches. So kernels have guards: a stage checks
// for each slice whether a sum became infinite, or so small that squares were lost. If one did,
// kernels that compute in f64 run the call again. If these were not compiled ahead, they are
// compiled when they are first needed, which never happens with usual data.
#ifndef BACKENDS_CODEGEN_WIDE_H
#define BACKENDS_CODEGEN_WIDE_H

#include "planned.h"

struct wide;

// For a plan that has guards; otherwise returns NULL. The plan must outlive it.
struct wide *wide_new(struct codegen *codegen, const struct plan *plan);
void wide_free(struct wide *wide);

// How its kernels are compiled; valid as long as `wide` is.
struct translation wide_translation(const struct wide *wide);

// Keeps a copy of arguments that kernels read and write, before they are run.
void wide_prepare(struct wide *wide);

// Restores them, and runs the call. Returns an error text, or NULL.
const char *wide_run(struct wide *wide);

#endif

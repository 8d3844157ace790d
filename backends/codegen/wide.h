// wide: the same call in f64, for data that f32 cannot hold on the way.
//
// The sum of the squares of 1e20 is beyond f32, but their standard deviation is not. Adding up in
// f64 always would halve the speed of what is in the caches. So kernels have guards: a stage says
// of each slice whether a sum became infinite, or so small that squares were lost. A call of which
// one does is run again by kernels that compute in f64. If they were not compiled ahead, they are
// when they are first needed, which for usual data is never.
#ifndef BACKENDS_CODEGEN_WIDE_H
#define BACKENDS_CODEGEN_WIDE_H

#include "planned.h"

struct wide;

// Of a plan that has guards; otherwise returns NULL. The plan must outlive it.
struct wide *wide_new(struct codegen *codegen, const struct plan *plan);
void wide_free(struct wide *wide);

// How its kernels are compiled; valid as long as it is.
struct translation wide_translation(const struct wide *wide);

// Keeps a copy of arguments that kernels read and write, before they are run.
void wide_prepare(struct wide *wide);

// Restores them, and runs the call. Returns what went wrong, or NULL.
const char *wide_run(struct wide *wide);

#endif

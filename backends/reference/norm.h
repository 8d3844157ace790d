// norm: the common parts of layer, batch and group norm.
#ifndef BACKENDS_REFERENCE_NORM_H
#define BACKENDS_REFERENCE_NORM_H

#include "backends/common/frame.h"

void norm_statistics(const double *x, int64_t n, double *mean, double *variance);

// An argument as doubles; `otherwise` in all places if it is None.
double *norm_vector(struct frame *frame, const char *name, int64_t length, double otherwise);

// The type of saved means and scales.
const struct dtype *norm_statistics_type(const struct frame *frame, const struct dtype *input);

// A result from doubles, or None if output_mask says so.
void norm_add_vector(struct frame *frame, int output, const struct dtype *type, int ndim,
                     const int64_t *shape, const double *from);

struct norm_slice {
    const double *gradient, *x, *weight;
    int64_t length;
    double mean, scale;
    double *out;
};
void norm_backward_slice(struct norm_slice *slice);

const char *norm_check(struct frame *frame);

// The routines.
const char *norm_layer(struct frame *frame);
const char *norm_layer_backward(struct frame *frame);
const char *norm_batch(struct frame *frame);
const char *norm_batch_backward(struct frame *frame);
const char *norm_group(struct frame *frame);
const char *norm_group_backward(struct frame *frame);

#endif

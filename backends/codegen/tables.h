// tables: all operators that codegen writes kernels for.
#ifndef BACKENDS_CODEGEN_TABLES_H
#define BACKENDS_CODEGEN_TABLES_H

#include "kernel.h"

extern const struct routine pointwise_routines[], reduction_routines[], normalization_routines[],
    copy_routines[], index_routines[], pooling_routines[];

void forget_plan(struct frame *frame);  // for routines

// Stages that define `mean` and `spread`, the sum of squared distances from it, of the input `x`.
void describe_moments(struct kernel *kernel);

#endif

// tables: all operators that codegen writes kernels for.
#ifndef BACKENDS_CODEGEN_TABLES_H
#define BACKENDS_CODEGEN_TABLES_H

#include "kernel.h"

extern const struct routine pointwise_routines[], reduction_routines[], normalization_routines[],
    copy_routines[], index_routines[], pooling_routines[];

void forget_plan(struct frame *frame);  // for routines

// A row of a table: the arguments in order, those that must be tensors, and the function that plans
// a call. More fields of struct routine may follow.
#define PLANNED(base_, schema_, needs_, ...) \
    {.base = base_,                          \
     .overloads = "default",                 \
     .schema = schema_,                      \
     .needs = needs_,                        \
     .forget = forget_plan,                  \
     .check = __VA_ARGS__}

// Stages that define `mean` and `spread`, the sum of squared distances from it, of the input `x`.
void describe_moments(struct kernel *kernel);

#endif

// chain: operators that feed each other, as one call.
//
//     Operator: bilanx.chain.default
//     cnt: 12, ((('aten.add.Tensor', T([8, 768], f32), T([768], f32), ('=alpha', 2)),
//                ('aten.gelu.default', '<0>')), {})
//
// Each argument is a step: the name of an operator and its arguments, where '<0>' is the result of
// the first step and ('=alpha', 2) an argument by name. The result is that of the last step.
#ifndef BACKENDS_CODEGEN_CHAIN_H
#define BACKENDS_CODEGEN_CHAIN_H

#include "kernel.h"

enum { CHAIN_STEPS = 12, CHAIN_ARGUMENTS = 8 };

struct step {
    struct bilanx_call call;
    struct bilanx_value arguments[CHAIN_ARGUMENTS];
    struct bilanx_keyword keywords[CHAIN_ARGUMENTS];
    struct frame *frame;  // with its plan
    DLTensor result;      // a description of it; its data pointer marks its uses
    int64_t shape[BILANX_MAX_DIMENSIONS], strides[BILANX_MAX_DIMENSIONS];
};

struct chain {
    struct step steps[CHAIN_STEPS];
    int count;
    char marks[CHAIN_STEPS];  // their addresses represent results
    char *texts[CHAIN_STEPS];
};

bool is_chain(const struct bilanx_call *call);

// Plans each step. Returns the reason if that is not possible, otherwise NULL.
const char *chain_open(struct table_backend *backend, const struct bilanx_call *call,
                       struct chain **out);
void chain_free(struct chain *chain);

// Plans one kernel for all steps; the plan belongs to a new frame. The chain must outlive it.
const char *chain_fuse(struct chain *chain, struct table_backend *backend,
                       const struct bilanx_call *call, struct frame **out);

#endif

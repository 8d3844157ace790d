// made_inputs: the inputs of a statement, made in this process from their description.
#ifndef SNIPPETS_MADE_INPUTS_H
#define SNIPPETS_MADE_INPUTS_H

#include "inputs/tensors/tensor.h"

// A parameter or a tensor, as compiled snippets see it: compile/inputs.txt declares the same.
struct bilanx_input_ {
    long integer;
    double real;
    DLTensor *tensor, *indices;
    const int64_t *shape;
    int dimensions, is_bool, is_coalesced;
};

struct made_inputs {
    struct sample sample;
    struct bilanx_input_ *items;  // parameters, then tensors, in the order of the sample; or NULL
    DLManagedTensor **tensors;    // what `items` points to
    size_t tensor_count;
};
void made_inputs_done(struct made_inputs *inputs);
SCOPE_VALUE(made_inputs, made_inputs_done)

// `text` is as sample_write() writes it; NULL: no inputs. The seed decides where in its page each
// tensor begins: two sides with the same seed agree, and the next epoch differs.
struct bilanx_error made_inputs_make(const char *text, uint64_t seed, struct made_inputs *out);

#endif

// made_inputs: the inputs of a statement, made in this process from their description.
#include "made_inputs.h"

#include "base/mem.h"

void made_inputs_done(struct made_inputs *inputs)
{
    for (size_t i = 0; i < inputs->tensor_count; i++)
        tensor_free(inputs->tensors[i]);
    free(inputs->tensors);
    free(inputs->items);
    sample_done(&inputs->sample);
    *inputs = (struct made_inputs){0};
}

static struct bilanx_error make_dense(const struct tensor_description *description,
                                      struct made_inputs *inputs, struct bilanx_input_ *out)
{
    DLManagedTensor **made = &inputs->tensors[inputs->tensor_count];
    BILANX_TRY(tensor_make(description, made));
    inputs->tensor_count++;
    *out = (struct bilanx_input_){.tensor = &(*made)->dl_tensor, .is_bool = description->is_bool};
    return BILANX_SUCCESS;
}

static struct bilanx_error make_sparse(const struct tensor_description *description,
                                       struct made_inputs *inputs, struct bilanx_input_ *out)
{
    DLManagedTensor **made = &inputs->tensors[inputs->tensor_count];
    BILANX_TRY(tensor_make_sparse(description, &made[0], &made[1]));
    inputs->tensor_count += 2;
    *out = (struct bilanx_input_){.tensor = &made[1]->dl_tensor,
                                  .indices = &made[0]->dl_tensor,
                                  .shape = description->shape,
                                  .dimensions = description->dimensions,
                                  .is_bool = description->is_bool,
                                  .is_coalesced = description->is_coalesced};
    return BILANX_SUCCESS;
}

static struct bilanx_error make(struct made_inputs *inputs)
{
    const struct sample *sample = &inputs->sample;
    size_t at = 0;
    inputs->items =
        mem_array(struct bilanx_input_, sample->parameter_count + sample->tensor_count + 1);
    inputs->tensors = mem_array(DLManagedTensor *, 2 * sample->tensor_count + 1);
    for (size_t i = 0; i < sample->parameter_count; i++) {
        const struct sample_parameter *parameter = &sample->parameters[i];
        inputs->items[at++] =
            (struct bilanx_input_){.integer = (long)parameter->integer, .real = parameter->number};
    }
    for (size_t i = 0; i < sample->tensor_count; i++) {
        const struct tensor_description *description = &sample->tensors[i];
        BILANX_TRY((description->is_sparse ? make_sparse : make_dense)(description, inputs,
                                                                       &inputs->items[at++]));
    }
    return BILANX_SUCCESS;
}

struct bilanx_error made_inputs_make(const char *text, uint64_t seed, struct made_inputs *out)
{
    AUTO(made_inputs) struct made_inputs made = {0};
    if (!text)
        return BILANX_SUCCESS;
    BILANX_TRY(sample_read(text, &made.sample));
    sample_place(&made.sample, seed);
    BILANX_TRY(make(&made));
    *out = made;
    made = (struct made_inputs){0};
    return BILANX_SUCCESS;
}

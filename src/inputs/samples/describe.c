// describe: shapes in the form that tables show.
#include "samples.h"

static void add_shape(const struct tensor_description *tensor, struct text *out)
{
    for (int i = 0; i < tensor->dimensions; i++)
        text_format(out, "%s%lld", i ? "x" : "", (long long)tensor->shape[i]);
    if (tensor->dimensions == 0)
        text_add(out, "scalar");
}

// Describes the memory layout unless it is contiguous.
static void add_manner(const struct tensor_description *tensor, struct text *out)
{
    bool permuted = false, stepped = false;
    if (tensor->is_sparse) {
        text_format(out, " nnz %lld", (long long)tensor->nonzeros);
        return;
    }
    for (int i = 0; i < tensor->dimensions; i++) {
        permuted |= tensor->order[i] != i;
        stepped |= tensor->steps[i] > 1;
    }
    if (permuted)
        text_add(out, " permuted");
    for (int i = 0; stepped && i < tensor->dimensions; i++)
        text_format(out, "%s%lld", i ? "," : " steps ", (long long)tensor->steps[i]);
}

// A specification may have no tensors, only parameters.
static void describe_parameters(const struct sample *sample, struct text *out)
{
    enum { MOST = 6 };
    for (size_t i = 0; i < sample->parameter_count && i < MOST; i++)
        text_format(out, "%s%s=%g", i ? " " : "", sample->parameters[i].name,
                    sample->parameters[i].number);
}

void samples_describe(const struct sample *sample, struct text *out)
{
    for (size_t i = 0; i < sample->tensor_count; i++) {
        if (sample->tensor_count > 1)
            text_format(out, "%s%s ", i ? ", " : "", sample->tensors[i].name);
        add_shape(&sample->tensors[i], out);
        add_manner(&sample->tensors[i], out);
    }
    if (sample->tensor_count == 0)
        describe_parameters(sample, out);
}

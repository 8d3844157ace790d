// sample: parameters and tensors by name.
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "storage.h"

void sample_done(struct sample *sample)
{
    for (size_t i = 0; i < sample->parameter_count; i++)
        free(sample->parameters[i].name);
    for (size_t i = 0; i < sample->tensor_count; i++)
        free(sample->tensors[i].name);
    free(sample->parameters);
    free(sample->tensors);
    *sample = (struct sample){0};
}

const struct sample_parameter *sample_parameter(const struct sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->parameter_count; i++)
        if (strcmp(sample->parameters[i].name, name) == 0)
            return &sample->parameters[i];
    return NULL;
}

void sample_place(struct sample *sample, uint64_t seed)
{
    enum { PAGE = 4096 };
    struct random random;
    random_init(&random, seed);
    for (size_t i = 0; seed && i < sample->tensor_count; i++)
        sample->tensors[i].shift =
            (unsigned)random_below(&random, PAGE / STORAGE_ALIGNMENT) * STORAGE_ALIGNMENT;
}

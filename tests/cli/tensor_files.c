// Makes the tensors of the samples that it reads, a line each, saves them as FOLDER/NAME.npy, and
// prints name and checksum of each file. A sparse tensor is saved as NAME.indices and NAME.values.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/tensors/npy.h"
#include "inputs/tensors/tensor.h"

static void check(struct bilanx_error error)
{
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static void save(const char *folder, const char *name, const char *part, bool is_bool,
                 DLManagedTensor *tensor)
{
    AUTO(memory) char *path = mem_format("%s/%s%s.npy", folder, name, part);
    check(npy_save(&tensor->dl_tensor, is_bool, path));
    printf("%s%s %" PRIu64 "\n", name, part, tensor_checksum(&tensor->dl_tensor));
    tensor_free(tensor);
}

static void make(const char *folder, const struct tensor_description *description)
{
    DLManagedTensor *tensor, *values;
    if (description->is_sparse) {
        check(tensor_make_sparse(description, &tensor, &values));
        save(folder, description->name, ".indices", false, tensor);
        save(folder, description->name, ".values", description->is_bool, values);
    } else {
        check(tensor_make(description, &tensor));
        save(folder, description->name, "", description->is_bool, tensor);
    }
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    if (argc != 2)
        return 2;
    while (getline(&line, &room, stdin) > 0) {
        AUTO(sample) struct sample sample = {0};
        line[strcspn(line, "\n")] = '\0';
        check(sample_read(line, &sample));
        for (size_t i = 0; i < sample.tensor_count; i++)
            make(argv[1], &sample.tensors[i]);
    }
    free(line);
    return 0;
}

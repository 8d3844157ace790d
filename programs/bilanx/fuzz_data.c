// fuzz_data: makes the tensors of a sample, to summarise and to save them.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "fuzz_report.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/npy.h"
#include "inputs/tensors/tensor.h"
#include "inputs/tensors/walk.h"

static void summarise_numbers(const double *numbers, size_t count, double *sum,
                              struct fuzz_data *data)
{
    for (size_t i = 0; i < count; i++) {
        data->nans += isnan(numbers[i]);
        data->infinities += isinf(numbers[i]);
        if (!isfinite(numbers[i]))
            continue;
        data->min = fmin(data->min, numbers[i]);
        data->max = fmax(data->max, numbers[i]);
        *sum += numbers[i];
    }
    data->elements += count;
}

static void summarise(const DLTensor *tensor, const struct dtype *dtype, struct fuzz_data *out)
{
    enum { AT_ONCE = 1024, PARTS = 2, LARGEST = 16 };  // parts and bytes of an element
    char packed[AT_ONCE * LARGEST];
    double numbers[AT_ONCE * PARTS];
    struct fuzz_data data = {.min = INFINITY, .max = -INFINITY};
    struct walk_packer packer;
    double total = 0;
    walk_pack_start(&packer, tensor);
    for (size_t count; (count = walk_pack(&packer, AT_ONCE, packed)) > 0;) {
        double sum = 0;  // of a block, so that many small numbers are not lost in a large sum
        dtype->widen(packed, count * dtype->parts, numbers);
        summarise_numbers(numbers, count * dtype->parts, &sum, &data);
        total += sum;
    }
    data.mean = total / (double)(data.elements - data.nans - data.infinities);
    data.checksum = tensor_checksum(tensor);
    *out = data;
}

// One tensor, or a part of one: summarised and saved as asked.
struct use {
    const char *folder;
    size_t index;
    const char *name, *part;
    struct fuzz_data *data;
};

static struct bilanx_error use_tensor(const struct use *use, const DLManagedTensor *tensor,
                                      const struct dtype *dtype)
{
    if (use->data)
        summarise(&tensor->dl_tensor, dtype, use->data);
    if (!use->folder)
        return BILANX_SUCCESS;
    AUTO(memory) char *path = mem_format("%s/%zu_%s%s%s.npy", use->folder, use->index, use->name,
                                         use->part ? "_" : "", use->part ? use->part : "");
    return npy_save(&tensor->dl_tensor, dtype->is_bool, path);
}

static struct bilanx_error make_sparse(const struct tensor_description *description, struct use use)
{
    AUTO(DLManagedTensor) DLManagedTensor *indices = NULL;
    AUTO(DLManagedTensor) DLManagedTensor *values = NULL;
    BILANX_TRY(tensor_make_sparse(description, &indices, &values));
    use.part = fuzz_part_names[0];
    BILANX_TRY(use_tensor(&use, indices, dtype_find("i64")));
    use.part = fuzz_part_names[1];
    use.data = use.data ? use.data + 1 : NULL;
    return use_tensor(&use, values, dtype_of(description->dtype, description->is_bool));
}

static struct bilanx_error make_dense(const struct tensor_description *description, struct use use)
{
    AUTO(DLManagedTensor) DLManagedTensor *tensor = NULL;
    BILANX_TRY(tensor_make(description, &tensor));
    return use_tensor(&use, tensor, dtype_of(description->dtype, description->is_bool));
}

struct bilanx_error fuzz_make_data(const struct fuzzer *fuzzer, const struct sample *sample,
                                   size_t index, const char *save, struct fuzz_data *data)
{
    if (save && mkdir(save, 0777) != 0 && errno != EEXIST)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot create the directory '%s': %s", save,
                                 strerror(errno));
    for (size_t i = 0; i < sample->tensor_count; i++) {
        const struct tensor_description *description = &sample->tensors[i];
        struct use use = {save, index, description->name, NULL,
                          data ? &data[i * FUZZ_PARTS] : NULL};
        struct bilanx_error error =
            description->is_sparse ? make_sparse(description, use) : make_dense(description, use);
        // Errors about a file do not get the position in the specification.
        BILANX_TRY(error.status == BILANX_E_SYSTEM && save ? error
                                                           : fuzzer_blame(fuzzer, i, error));
    }
    return BILANX_SUCCESS;
}

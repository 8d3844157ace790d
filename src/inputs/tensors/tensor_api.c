// tensor_api: the functions of <bilanx/tensor.h>.
#include <string.h>

#include "base/want.h"
#include "bilanx/tensor.h"
#include "dtype.h"
#include "npy.h"
#include "tensor.h"
#include "tensor_compare.h"

// The distributions have the same numbers.
_Static_assert((int)BILANX_TENSOR_UNIFORM == TENSOR_UNIFORM &&
                   (int)BILANX_TENSOR_NORMAL == TENSOR_NORMAL &&
                   (int)BILANX_TENSOR_PERMUTATION == TENSOR_PERMUTATION &&
                   (int)BILANX_TENSOR_INDICES == TENSOR_INDICES &&
                   (int)BILANX_DIMENSIONS == TENSOR_DIMENSIONS,
               "public and internal names agree");

static void describe_data(const struct bilanx_tensor_options *options, const struct dtype *dtype,
                          struct tensor_description *out)
{
    out->dtype = dtype->type;
    out->is_bool = dtype->is_bool;
    out->fill = (enum tensor_fill)options->fill;
    out->low = options->low;
    out->high = options->high;
    out->nan_share = options->nan_share;
    out->inf_share = options->inf_share;
    out->seed = options->seed;
    bool is_default = options->low == 0 && options->high == 0;
    if (is_default &&
        (options->fill == BILANX_TENSOR_UNIFORM || options->fill == BILANX_TENSOR_NORMAL)) {
        bool is_number = dtype->kind == DTYPE_INTEGER && !dtype->is_bool;
        out->low = is_number ? 1 : 0;
        out->high = is_number ? 126 : 1;
    }
}

static void describe_layout(const struct bilanx_tensor_options *options,
                            struct tensor_description *out)
{
    bool is_ordered = false;
    out->dimensions = options->dimensions;
    for (int d = 0; d < TENSOR_DIMENSIONS; d++) {
        out->shape[d] = options->shape[d];
        out->steps[d] = options->steps[d] ? options->steps[d] : 1;
        is_ordered = is_ordered || options->order[d] != 0;
    }
    for (int d = 0; d < TENSOR_DIMENSIONS; d++)
        out->order[d] = is_ordered ? options->order[d] : d;
}

static struct bilanx_error find_type(const char *name, const struct dtype **out)
{
    const struct dtype *dtype = dtype_find(name ? name : "f32");
    if (!dtype)
        return bilanx_error_make(BILANX_E_USAGE, "there is no type '%s', only %s", name,
                                 dtype_names());
    *out = dtype;
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_tensor_make(const struct bilanx_tensor_options *options,
                                       DLManagedTensor **out)
{
    WANT(options);
    WANT(out);
    const struct dtype *dtype = NULL;
    struct tensor_description description = {0};
    BILANX_TRY(find_type(options->dtype, &dtype));
    describe_data(options, dtype, &description);
    describe_layout(options, &description);
    BILANX_TRY(tensor_check(&description));
    tensor_lay_out(&description);
    return tensor_make(&description, out);
}

void bilanx_tensor_free(DLManagedTensor *tensor)
{
    tensor_free(tensor);
}

static bool wants_bool(const struct bilanx_tensor_options *options)
{
    return options->dtype && strcmp(options->dtype, "bool") == 0;
}

struct bilanx_error bilanx_tensor_fill(const struct bilanx_tensor_options *options,
                                       DLTensor *tensor)
{
    WANT(options);
    WANT(tensor);
    BILANX_TRY(tensor_check_foreign(tensor));
    struct tensor_description description = {0};
    const struct dtype *dtype = wants_bool(options) ? dtype_of(tensor->dtype, true) : NULL;
    describe_data(options, dtype ? dtype : dtype_of(tensor->dtype, false), &description);
    return tensor_fill(&description, tensor);
}

struct bilanx_error bilanx_tensor_compare(const DLTensor *actual, const DLTensor *expected,
                                          const struct bilanx_tolerance *tolerance,
                                          struct bilanx_tensor_difference *out)
{
    WANT(actual);
    WANT(expected);
    WANT(out);
    return tensor_compare(actual, expected, tolerance, out);
}

struct bilanx_error bilanx_tensor_checksum(const DLTensor *tensor, uint64_t *out)
{
    WANT(tensor);
    WANT(out);
    BILANX_TRY(tensor_check_foreign(tensor));
    *out = tensor_checksum(tensor);
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_tensor_save(const DLTensor *tensor, const char *path)
{
    WANT(tensor);
    WANT(path);
    return npy_save(tensor, false, path);
}

// kept_results: the baseline's results, for comparison with others.
#include "kept_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { MOST_DIMENSIONS = 64 };

void kept_results_done(struct kept_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        free(results->tensors[i].tensor.data);
        free(results->tensors[i].tensor.shape);
    }
    free(results->tensors);
    *results = (struct kept_results){0};
}

static size_t element_bytes(DLDataType type)
{
    return (size_t)(type.bits * type.lanes + 7) / 8;
}

static int64_t element_count(const DLTensor *tensor)
{
    int64_t count = 1;
    for (int d = 0; d < tensor->ndim; d++)
        count *= tensor->shape[d];
    return count;
}

static size_t tensor_size(const DLTensor *tensor)
{
    return (size_t)element_count(tensor) * element_bytes(tensor->dtype);
}

static bool is_contiguous(const DLTensor *tensor)
{
    int64_t expected = 1;
    for (int d = tensor->ndim - 1; tensor->strides && d >= 0; d--) {
        if (tensor->shape[d] != 1 && tensor->strides[d] != expected)
            return false;
        expected *= tensor->shape[d];
    }
    return true;
}

// Copies the elements in C order.
static void gather(const DLTensor *from, char *to)
{
    size_t size = element_bytes(from->dtype);
    const char *data = (const char *)from->data + from->byte_offset;
    int64_t count = element_count(from), at[MOST_DIMENSIONS] = {0};
    if (is_contiguous(from)) {
        memcpy(to, data, (size_t)count * size);
        return;
    }
    int64_t position = 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + (size_t)i * size, data + position * (int64_t)size, size);
        for (int d = from->ndim - 1; d >= 0; d--) {
            position += from->strides[d];
            if (++at[d] < from->shape[d])
                break;
            position -= from->strides[d] * from->shape[d];
            at[d] = 0;
        }
    }
}

static struct kept_tensor *add(struct kept_results *results, const DLTensor *like, bool is_bool)
{
    mem_grow(results->tensors, results->count, &results->room);
    struct kept_tensor *kept = &results->tensors[results->count++];
    *kept = (struct kept_tensor){.tensor = *like, .is_bool = is_bool};
    kept->tensor.byte_offset = 0;
    kept->tensor.device = (DLDevice){kDLCPU, 0};
    kept->tensor.strides = NULL;
    kept->tensor.shape = mem_array(int64_t, (size_t)like->ndim + 1);
    if (like->ndim)
        memcpy(kept->tensor.shape, like->shape, (size_t)like->ndim * sizeof *like->shape);
    kept->tensor.data = mem_resized(NULL, tensor_size(like) + 1);
    return kept;
}

static struct bilanx_error take_tensor(const DLTensor *tensor, bool is_bool,
                                       struct kept_results *out)
{
    if (!tensor || tensor->ndim < 0 || tensor->ndim > MOST_DIMENSIONS)
        return bilanx_error_make(BILANX_E_FAILED, "it returned a tensor without a shape");
    if (element_count(tensor) > 0 && !tensor->data)
        return bilanx_error_make(BILANX_E_FAILED, "it returned a tensor without data");
    struct kept_tensor *kept = add(out, tensor, is_bool);
    if (element_count(tensor) > 0)
        gather(tensor, kept->tensor.data);
    return BILANX_SUCCESS;
}

static void take_number(double number, struct kept_results *out)
{
    DLTensor like = {.dtype = {kDLFloat, 64, 1}};
    memcpy(add(out, &like, false)->tensor.data, &number, sizeof number);
}

struct bilanx_error kept_results_take(const struct bilanx_value *value, struct kept_results *out)
{
    switch (value->kind) {
    case BILANX_LIST:
    case BILANX_TUPLE:
        for (size_t i = 0; i < value->count; i++)
            BILANX_TRY(kept_results_take(&value->items[i], out));
        return BILANX_SUCCESS;
    case BILANX_TENSOR:
        if (!value->sparse)
            return take_tensor(value->tensor, value->is_bool, out);
        BILANX_TRY(take_tensor(value->sparse->indices, false, out));
        return take_tensor(value->sparse->values, value->is_bool, out);
    case BILANX_TRUTH:
    case BILANX_INTEGER:
        take_number((double)value->integer, out);
        return BILANX_SUCCESS;
    case BILANX_REAL:
        take_number(value->real, out);
        return BILANX_SUCCESS;
    default:
        return BILANX_SUCCESS;
    }
}

uint64_t kept_results_bytes(const struct kept_results *results)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < results->count; i++)
        bytes += tensor_size(&results->tensors[i].tensor);
    return bytes;
}

// The file is for another process of the same run, so it has the layout of memory.
struct head {
    DLDataType type;
    int32_t dimensions, is_bool;
};

static void write_tensor(FILE *file, const struct kept_tensor *kept)
{
    const DLTensor *tensor = &kept->tensor;
    struct head head = {tensor->dtype, tensor->ndim, kept->is_bool};
    fwrite(&head, sizeof head, 1, file);
    fwrite(tensor->shape, sizeof *tensor->shape, (size_t)tensor->ndim, file);
    fwrite(tensor->data, 1, tensor_size(tensor), file);
}

struct bilanx_error kept_results_save(const struct kept_results *results, const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    for (size_t i = 0; i < results->count; i++)
        write_tensor(file, &results->tensors[i]);
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

static bool read_tensor(const char **at, const char *end, struct kept_results *out)
{
    struct head head;
    int64_t shape[MOST_DIMENSIONS];
    if ((size_t)(end - *at) < sizeof head)
        return false;
    memcpy(&head, *at, sizeof head);
    *at += sizeof head;
    size_t shape_bytes = (size_t)head.dimensions * sizeof *shape;
    if (head.dimensions < 0 || head.dimensions > MOST_DIMENSIONS ||
        (size_t)(end - *at) < shape_bytes)
        return false;
    memcpy(shape, *at, shape_bytes);
    *at += shape_bytes;
    DLTensor like = {.dtype = head.type, .ndim = head.dimensions, .shape = shape};
    size_t size = tensor_size(&like);
    if ((size_t)(end - *at) < size)
        return false;
    memcpy(add(out, &like, head.is_bool)->tensor.data, *at, size);
    *at += size;
    return true;
}

struct bilanx_error kept_results_load(const char *path, struct kept_results *out)
{
    AUTO(text) struct text bytes = {0};
    BILANX_TRY(file_read(path, &bytes));
    const char *at = text_get(&bytes), *end = at + bytes.size;
    while (at < end)
        if (!read_tensor(&at, end, out))
            return bilanx_error_make(BILANX_E_INPUT, "'%s' is incomplete", path);
    return BILANX_SUCCESS;
}

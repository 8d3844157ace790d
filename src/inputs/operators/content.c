// content: elements whose values depend on their positions.
#include "content.h"

#include <string.h>

#include "bilanx/elements.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/permutation.h"
#include "inputs/tensors/stream.h"
#include "inputs/tensors/walk.h"

// One axis of a pooling.
struct pooling_axis {
    int64_t size;      // of what was pooled
    uint64_t windows;  // how many there are
    uint64_t kernel;   // elements of a window
    int64_t stride, padding, dilation;
};

struct finisher {
    const struct content *content;
    const DLTensor *tensor;
    const struct dtype *dtype;
    struct permutation permutation;
    uint64_t key;
    uint64_t elements;
    uint64_t inner, size;  // of a dimension: elements within one step, and steps
    struct pooling_axis rows, columns;
};

static void store(const struct finisher *finisher, void *element, double value)
{
    const struct dtype *dtype = finisher->dtype;
    int64_t whole = (int64_t)value;
    if (dtype->kind == DTYPE_REAL)
        dtype->narrow((double[]){value, 0}, dtype->parts, element);
    else
        memcpy(element, &whole, dtype->size);  // little-endian, as everything here
}

static double distinct(const struct finisher *finisher, uint64_t index)
{
    return (double)permutation_at(&finisher->permutation, index / finisher->inner % finisher->size);
}

static double mask(const struct finisher *finisher, uint64_t index)
{
    return permutation_at(&finisher->permutation, index) < (uint64_t)finisher->content->bound;
}

static double ramp(const struct finisher *finisher, uint64_t index)
{
    double share = (double)index / (double)finisher->elements;
    return (double)(int64_t)(share * (double)finisher->content->bound);
}

static double sorted(const struct finisher *finisher, uint64_t index)
{
    const struct content *content = finisher->content;
    double share = (double)(index % finisher->size) / (double)finisher->size;
    return content->low + share * (content->high - content->low);
}

// Its diagonal outweighs the rest of each row.
static double matrix(const struct finisher *finisher, uint64_t index)
{
    uint64_t columns = finisher->size, column = index % columns, row = index / columns;
    row %= columns;
    if (row == column)
        return 2;
    uint64_t low = row < column ? row : column, high = row + column - low;
    uint64_t bits = stream_mix(finisher->key + low * STREAM_STEP + stream_mix(high));
    return ((double)(bits >> 11) * 0x1p-53 - 0.5) / (double)columns;
}

// The i-th number of a list among the arguments of a pooling; a single number applies to all.
static int64_t listed(const struct bilanx_call *call, size_t argument, size_t i, int64_t missing)
{
    if (argument >= call->argument_count)
        return missing;
    const struct bilanx_value *list = &call->arguments[argument];
    if ((list->kind != BILANX_LIST && list->kind != BILANX_TUPLE) || list->count == 0)
        return missing;
    const struct bilanx_value *item = &list->items[i < list->count ? i : list->count - 1];
    bool is_usable = item->kind == BILANX_INTEGER && item->integer >= 0 && item->integer < 1 << 20;
    return is_usable ? item->integer : missing;
}

// Arguments 2 to 5 are kernel, stride, padding and dilation. Sizes below 2^20 keep the arithmetic
// within bounds.
static bool prepare_axis(const struct finisher *finisher, int axis, struct pooling_axis *out)
{
    const struct bilanx_call *call = finisher->content->call;
    const DLTensor *pooled = call->arguments[1].tensor, *tensor = finisher->tensor;
    if (tensor->ndim < 2 || pooled->ndim < 2)
        return false;
    int64_t kernel = listed(call, 2, (size_t)axis, 1);
    *out = (struct pooling_axis){
        .size = pooled->shape[pooled->ndim - 2 + axis],
        .windows = (uint64_t)tensor->shape[tensor->ndim - 2 + axis],
        .kernel = kernel > 0 ? (uint64_t)kernel : 1,
        .stride = listed(call, 3, (size_t)axis, kernel),
        .padding = listed(call, 4, (size_t)axis, 0),
        .dilation = listed(call, 5, (size_t)axis, 1),
    };
    return out->size > 0 && out->size < 1 << 20 && out->windows < 1 << 20;
}

// An element that a window covers.
static int64_t within_window(const struct pooling_axis *axis, uint64_t window, uint64_t bits)
{
    int64_t dilation = axis->dilation, size = axis->size;
    int64_t place =
        (int64_t)window * axis->stride - axis->padding + (int64_t)(bits % axis->kernel) * dilation;
    if (place < 0 && dilation > 0)  // in the padding: go on to the first element
        place += (-place + dilation - 1) / dilation * dilation;
    if (place >= size && dilation > 0)
        place -= ((place - size) / dilation + 1) * dilation;
    return place < 0 ? 0 : place < size ? place : size - 1;
}

static double window(const struct finisher *finisher, uint64_t index)
{
    const struct pooling_axis *rows = &finisher->rows, *columns = &finisher->columns;
    uint64_t bits = stream_mix(finisher->key + index * STREAM_STEP);
    int64_t row = within_window(rows, index / columns->windows % rows->windows, bits >> 32);
    int64_t column = within_window(columns, index % columns->windows, bits & UINT32_MAX);
    return (double)(row * columns->size + column);
}

static void rewrite(const struct finisher *finisher,
                    double (*value)(const struct finisher *finisher, uint64_t index))
{
    struct walk walk;
    struct walk_run run;
    walk_start(&walk, finisher->tensor, WALK_LOGICAL);
    while (walk_next(&walk, &run))
        for (int64_t i = 0; i < run.count; i++)
            store(finisher, run.data + i * run.stride * finisher->dtype->size,
                  value(finisher, run.index + (uint64_t)i * run.index_step));
}

// Distinct numbers are only possible if there are enough; otherwise the elements are left as they
// are.
static bool prepare_distinct(struct finisher *finisher)
{
    const DLTensor *tensor = finisher->tensor;
    int dimension = finisher->content->dimension;
    finisher->inner = 1;
    finisher->size = finisher->elements;
    if (dimension >= 0 && dimension < tensor->ndim) {
        finisher->size = (uint64_t)tensor->shape[dimension];
        for (int d = dimension + 1; d < tensor->ndim; d++)
            finisher->inner *= (uint64_t)tensor->shape[d];
    }
    permutation_init(&finisher->permutation, (uint64_t)finisher->content->bound, finisher->key);
    return finisher->size <= (uint64_t)finisher->content->bound &&
           (double)finisher->content->bound - 1 <= finisher->dtype->largest;
}

void content_finish(const struct content *content, uint64_t seed, DLTensor *tensor, bool is_bool)
{
    struct finisher finisher = {.content = content,
                                .tensor = tensor,
                                .dtype = dtype_of(tensor->dtype, is_bool),
                                .key = stream_key(seed, STREAM_PERMUTATION),
                                .elements = (uint64_t)bilanx_elements(tensor)};
    if (finisher.elements == 0)
        return;
    int64_t last = tensor->ndim > 0 ? tensor->shape[tensor->ndim - 1] : 1;
    finisher.size = (uint64_t)last;
    if (content->kind == CONTENT_DISTINCT && prepare_distinct(&finisher))
        rewrite(&finisher, distinct);
    else if (content->kind == CONTENT_RAMP)
        rewrite(&finisher, ramp);
    else if (content->kind == CONTENT_SORTED)
        rewrite(&finisher, sorted);
    else if (content->kind == CONTENT_MATRIX)
        rewrite(&finisher, matrix);
    else if (content->kind == CONTENT_WINDOWS && prepare_axis(&finisher, 0, &finisher.rows) &&
             prepare_axis(&finisher, 1, &finisher.columns))
        rewrite(&finisher, window);
    else if (content->kind == CONTENT_MASK) {
        permutation_init(&finisher.permutation, finisher.elements, finisher.key);
        rewrite(&finisher, mask);
    }
}

// operator_data: memory and contents for the tensors of a call.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "call_tensors.h"
#include "content.h"
#include "far.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/stream.h"
#include "inputs/tensors/tensor.h"
#include "operators.h"
#include "shared_data.h"

struct made_tensor {
    struct bilanx_value *value;
    DLManagedTensor *memory, *indices;  // `indices` of a sparse one
    void *pristine;                     // a copy, if the operator may write to it
    size_t bytes;
};

struct data_storage {
    struct made_tensor *tensors;
    size_t count, room;
    const struct bilanx_call *call;
    uint64_t seed;
    bool huge_pages;
    bool keeps_pristine;
    struct shared_data shared;
    struct bilanx_error error;
};

void operator_data_done(struct operator_data *data)
{
    struct data_storage *storage = data->storage;
    for (size_t i = 0; storage && i < storage->count; i++) {
        struct made_tensor *made = &storage->tensors[i];
        if (made->value->sparse) {
            struct bilanx_sparse *sparse = (struct bilanx_sparse *)made->value->sparse;
            sparse->indices = sparse->values = NULL;
        }
        made->value->tensor->data = NULL;
        tensor_free(made->memory);
        tensor_free(made->indices);
        free(made->pristine);
    }
    if (storage) {
        shared_data_done(&storage->shared);
        free(storage->tensors);
    }
    free(storage);
    *data = (struct operator_data){0};
}

// The tensors of one call have different data, and so have equal tensors of different operators.
static uint64_t seed_of(const struct data_storage *storage, const DLTensor *tensor, size_t place)
{
    struct hash hash = hash_start();
    hash_add_text(&hash, storage->call->name);
    hash_add(&hash, &place, sizeof place);
    hash_add(&hash, &storage->seed, sizeof storage->seed);
    hash_add(&hash, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
    return hash.a;
}

static void describe_content(const struct content *content, const struct dtype *dtype,
                             struct tensor_description *out)
{
    out->fill = TENSOR_UNIFORM;
    out->low = content->low > dtype->smallest ? content->low : dtype->smallest;
    out->high = content->high < dtype->largest ? content->high : dtype->largest;
    bool is_index = content->kind == CONTENT_INDICES || content->kind == CONTENT_DISTINCT ||
                    content->kind == CONTENT_WINDOWS || content->kind == CONTENT_RAMP;
    if (!is_index || dtype->kind != DTYPE_INTEGER)
        return;
    out->fill = TENSOR_INDICES;
    out->high = content->bound > 1 ? (double)content->bound : 1;
    if (out->high - 1 > dtype->largest)
        out->high = dtype->largest;
}

// Other ranges than 0 to 1 take several times as long to make, so floats are made in that range and
// scaled.
static bool is_moved(const struct tensor_description *description)
{
    return description->fill == TENSOR_UNIFORM && description->dtype.code == kDLFloat &&
           description->dtype.bits == 32;
}

static void move(float *numbers, uint64_t count, float low, float range)
{
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = low + numbers[i] * range;
}

static struct bilanx_error make_memory(const struct tensor_description *description,
                                       DLManagedTensor **out)
{
    struct tensor_description made = *description;
    if (!is_moved(description))
        return tensor_make(description, out);
    made.low = 0;
    made.high = 1;
    BILANX_TRY(tensor_make(&made, out));
    move((*out)->dl_tensor.data, (uint64_t)description->shape[0], (float)description->low,
         (float)(description->high - description->low));
    return BILANX_SUCCESS;
}

// Another process has made them, or will use them.
static void share(struct data_storage *storage, struct made_tensor *made)
{
    DLTensor *tensor = made->value->tensor;
    void *place = shared_data_place(&storage->shared, made->bytes);
    if (!storage->shared.is_made && made->bytes)
        memcpy(place, tensor->data, made->bytes);
    tensor_free(made->memory);
    made->memory = NULL;
    tensor->data = place;
}

// The memory behind a tensor, as one dimension: strides may be zero or overlap.
static struct tensor_description describe_dense(const struct data_storage *storage, size_t place,
                                                const struct bilanx_value *value,
                                                const struct content *content)
{
    const struct dtype *dtype = dtype_of(value->tensor->dtype, value->is_bool);
    struct tensor_description description = {
        .name = (char *)storage->call->name,
        .dtype = dtype->type,
        .is_bool = dtype->is_bool,
        .dimensions = 1,
        .shape = {(int64_t)tensor_span(value->tensor)},
        .strides = {1},
        .steps = {1},
        .seed = seed_of(storage, value->tensor, place),
        .in_usual_pages = !storage->huge_pages,
    };
    describe_content(content, dtype, &description);
    return description;
}

static struct bilanx_error make_dense(struct data_storage *storage, struct made_tensor *made,
                                      const struct content *content)
{
    DLTensor *tensor = made->value->tensor;
    const struct dtype *dtype = dtype_of(tensor->dtype, made->value->is_bool);
    made->bytes = tensor_span(tensor) * dtype->size;
    if (!storage->shared.is_made) {
        struct tensor_description description =
            describe_dense(storage, storage->count, made->value, content);
        BILANX_TRY(make_memory(&description, &made->memory));
        tensor->data = made->memory->dl_tensor.data;
        content_finish(content, description.seed, tensor, dtype->is_bool);
    }
    if (storage->shared.start)
        share(storage, made);
    return BILANX_SUCCESS;
}

static struct bilanx_error make_sparse(struct data_storage *storage, struct made_tensor *made,
                                       const struct content *content)
{
    const DLTensor *tensor = made->value->tensor;
    struct bilanx_sparse *sparse = (struct bilanx_sparse *)made->value->sparse;
    struct tensor_description description = {
        .name = (char *)storage->call->name,
        .dtype = tensor->dtype,
        .is_bool = made->value->is_bool,
        .dimensions = tensor->ndim,
        .is_sparse = true,
        .sparse_dimensions = tensor->ndim,
        .nonzeros = sparse->nonzeros,
        .is_coalesced = sparse->is_coalesced,
        .seed = seed_of(storage, tensor, storage->count),
        .in_usual_pages = !storage->huge_pages,
    };
    for (int d = 0; d < tensor->ndim; d++) {
        description.shape[d] = tensor->shape[d];
        description.steps[d] = 1;
        description.order[d] = d;
    }
    tensor_lay_out(&description);
    describe_content(content, dtype_of(tensor->dtype, made->value->is_bool), &description);
    BILANX_TRY(tensor_make_sparse(&description, &made->indices, &made->memory));
    sparse->indices = &made->indices->dl_tensor;
    sparse->values = &made->memory->dl_tensor;
    made->bytes = (size_t)sparse->nonzeros * (tensor->dtype.bits / 8u);
    return BILANX_SUCCESS;
}

static bool make_value(struct bilanx_value *value, const struct value_place *place, void *context)
{
    struct data_storage *storage = context;
    if (value->kind != BILANX_TENSOR)
        return true;
    struct content content = content_of(storage->call, place, value);
    struct made_tensor made = {.value = value};
    storage->error = value->sparse ? make_sparse(storage, &made, &content)
                                   : make_dense(storage, &made, &content);
    if (storage->error.status != BILANX_OK)
        return false;
    if (storage->keeps_pristine && made.bytes) {
        made.pristine = mem_zeroed(1, made.bytes);
        memcpy(made.pristine, made.memory->dl_tensor.data, made.bytes);
    }
    mem_grow(storage->tensors, storage->count, &storage->room);
    storage->tensors[storage->count++] = made;
    return true;
}

static struct bilanx_error check_size(const struct bilanx_call *call, uint64_t max_bytes)
{
    uint64_t bytes = operator_bytes(call);
    if (max_bytes && bytes > max_bytes)
        return bilanx_error_make(BILANX_E_SKIPPED,
                                 "its arguments have %.6g MB, and --max-bytes allows %.6g MB",
                                 (double)bytes / 1e6, (double)max_bytes / 1e6);
    return BILANX_SUCCESS;
}

struct bilanx_error operator_data_make(struct operator_call *call,
                                       const struct operator_options *options,
                                       struct operator_data *out)
{
    BILANX_TRY(check_size(&call->call, options->max_bytes));
    struct data_storage *storage = mem_new(struct data_storage);
    struct operator_data data = {call, storage};
    storage->call = &call->call;
    storage->seed = options->seed;
    storage->huge_pages = options->huge_pages;
    storage->keeps_pristine = operator_writes_arguments(&call->call);
    if (options->shared && !storage->keeps_pristine)
        storage->error = shared_data_open(options->shared, &call->call, &storage->shared);
    if (storage->error.status == BILANX_OK)
        call_each_value(&call->call, make_value, storage);
    struct bilanx_error error = storage->error;
    if (error.status == BILANX_OK && storage->shared.start)
        shared_data_finish(&storage->shared);
    if (error.status != BILANX_OK)
        operator_data_done(&data);
    else
        *out = data;
    return error;
}

void operator_data_restore(struct operator_data *data)
{
    struct data_storage *storage = data->storage;
    for (size_t i = 0; storage && i < storage->count; i++) {
        const struct made_tensor *made = &storage->tensors[i];
        if (made->pristine)
            memcpy(made->memory->dl_tensor.data, made->pristine, made->bytes);
    }
}

// ---- Other draws

const char *const operator_draw_names[OPERATOR_DRAWS] = {"usual", "large", "tiny", "special"};

struct redrawing {
    struct data_storage *storage;
    enum operator_draw draw;
    size_t place;  // of the next tensor
    bool changed;
    struct bilanx_error error;
};

static void *memory_of(const struct made_tensor *made)
{
    return made->value->sparse ? made->memory->dl_tensor.data : made->value->tensor->data;
}

// Restores the usual content, whatever the tensor contains.
static struct bilanx_error redraw(struct redrawing *redrawing, const struct made_tensor *made,
                                  const struct content *content)
{
    const struct data_storage *storage = redrawing->storage;
    DLTensor *tensor = made->value->tensor;
    const struct dtype *dtype = dtype_of(tensor->dtype, made->value->is_bool);
    struct tensor_description description =
        describe_dense(storage, redrawing->place, made->value, content);
    DLManagedTensor *memory = NULL;
    BILANX_TRY(make_memory(&description, &memory));
    if (redrawing->draw != DRAW_USUAL)
        far_apply(storage->call, dtype, redrawing->draw, memory->dl_tensor.data,
                  (uint64_t)description.shape[0]);
    memcpy(tensor->data, memory->dl_tensor.data, made->bytes);
    tensor_free(memory);
    if (made->pristine)
        memcpy(made->pristine, tensor->data, made->bytes);
    return BILANX_SUCCESS;
}

// Only tensors that some draw changes are filled again; the others still have their contents.
static bool redraw_value(struct bilanx_value *value, const struct value_place *place, void *context)
{
    struct redrawing *redrawing = context;
    const struct data_storage *storage = redrawing->storage;
    if (value->kind != BILANX_TENSOR)
        return true;
    const struct made_tensor *made = &storage->tensors[redrawing->place];
    const struct dtype *dtype = dtype_of(value->tensor->dtype, value->is_bool);
    struct content content = content_of(storage->call, place, value);
    bool can_change = !value->sparse && far_changes(storage->call, &content, dtype, DRAW_LARGE);
    bool changes = !value->sparse && far_changes(storage->call, &content, dtype, redrawing->draw);
    redrawing->changed = redrawing->changed || (changes && made->bytes);
    if ((changes || (can_change && redrawing->draw == DRAW_USUAL)) && made->bytes)
        redrawing->error = redraw(redrawing, made, &content);
    redrawing->place++;
    return redrawing->error.status == BILANX_OK;
}

struct bilanx_error operator_data_redraw(struct operator_data *data, enum operator_draw draw,
                                         bool *changed)
{
    struct redrawing redrawing = {.storage = data->storage, .draw = draw};
    if (!data->storage)
        return bilanx_error_make(BILANX_E_INPUT, "the call has no data");
    operator_data_restore(data);
    call_each_value(&data->call->call, redraw_value, &redrawing);
    *changed = redrawing.changed;
    return redrawing.error;
}

static void convert(const struct dtype *to_type, void *to, const struct dtype *from_type,
                    const void *from, uint64_t parts)
{
    enum { PIECE = 256 };
    double numbers[PIECE];
    for (uint64_t i = 0; i < parts; i += PIECE) {
        size_t n = parts - i < PIECE ? (size_t)(parts - i) : PIECE;
        from_type->widen((const char *)from + i * (from_type->size / from_type->parts), n, numbers);
        to_type->narrow(numbers, n, (char *)to + i * (to_type->size / to_type->parts));
    }
}

void operator_data_copy(struct operator_data *to, const struct operator_data *from)
{
    const struct data_storage *source = from->storage, *target = to->storage;
    for (size_t i = 0; i < source->count && i < target->count; i++) {
        const struct made_tensor *one = &source->tensors[i], *other = &target->tensors[i];
        const struct dtype *old = dtype_of(one->value->tensor->dtype, one->value->is_bool);
        const struct dtype *new = dtype_of(other->value->tensor->dtype, other->value->is_bool);
        const void *content = one->pristine ? one->pristine : memory_of(one);
        if (one->bytes == 0 || other->bytes == 0)
            continue;
        if (old == new && one->bytes == other->bytes)
            memcpy(memory_of(other), content, one->bytes);
        else if (old->kind == DTYPE_REAL && new->kind == DTYPE_REAL &&
                 one->bytes / old->size == other->bytes / new->size)
            convert(new, memory_of(other), old, content, one->bytes / old->size * old->parts);
        if (other->pristine)
            memcpy(other->pristine, memory_of(other), other->bytes);
    }
}

// operator_adapt: turns a recorded call into one that runs here.
#include <string.h>

#include "base/text.h"
#include "call_memory.h"
#include "call_tensors.h"
#include "inputs/tensors/dtype.h"
#include "log_types.h"
#include "operators.h"

struct visitor {
    bool (*visit)(struct bilanx_value *value, const struct value_place *place, void *context);
    void *context;
};

static bool visit_value(struct bilanx_value *value, struct value_place place,
                        const struct visitor *visitor)
{
    if (value->kind != BILANX_LIST && value->kind != BILANX_TUPLE)
        return visitor->visit(value, &place, visitor->context);
    struct bilanx_value *items = (struct bilanx_value *)value->items;
    for (size_t i = 0; i < value->count; i++) {
        place.item = i;
        if (!visit_value(&items[i], place, visitor))
            return false;
    }
    return true;
}

bool call_each_value(const struct bilanx_call *call,
                     bool (*visit)(struct bilanx_value *value, const struct value_place *place,
                                   void *context),
                     void *context)
{
    const struct visitor visitor = {visit, context};
    struct bilanx_value *arguments = (struct bilanx_value *)call->arguments;
    struct bilanx_keyword *keywords = (struct bilanx_keyword *)call->keywords;
    for (size_t i = 0; i < call->argument_count; i++)
        if (!visit_value(&arguments[i], (struct value_place){i, NULL, SIZE_MAX}, &visitor))
            return false;
    for (size_t i = 0; i < call->keyword_count; i++) {
        struct value_place place = {SIZE_MAX, keywords[i].name, SIZE_MAX};
        if (!visit_value(&keywords[i].value, place, &visitor))
            return false;
    }
    return true;
}

uint64_t tensor_span(const DLTensor *tensor)
{
    uint64_t last = 0;
    for (int d = 0; d < tensor->ndim; d++) {
        if (tensor->shape[d] == 0)
            return 0;
        last += (uint64_t)(tensor->shape[d] - 1) * (uint64_t)tensor->strides[d];
    }
    return last + 1;
}

static uint64_t bytes_of(const struct bilanx_value *value)
{
    uint64_t size = value->tensor->dtype.bits / 8, bytes;
    if (!value->sparse)
        return __builtin_mul_overflow(tensor_span(value->tensor), size, &bytes) ? UINT64_MAX
                                                                                : bytes;
    uint64_t each = size + sizeof(int64_t) * (uint64_t)value->tensor->ndim;
    return __builtin_mul_overflow((uint64_t)value->sparse->nonzeros, each, &bytes) ? UINT64_MAX
                                                                                   : bytes;
}

static bool add_bytes(struct bilanx_value *value, const struct value_place *place, void *context)
{
    uint64_t *sum = context;
    (void)place;
    if (value->kind == BILANX_TENSOR && __builtin_add_overflow(*sum, bytes_of(value), sum))
        *sum = UINT64_MAX;
    return *sum != UINT64_MAX;
}

uint64_t operator_bytes(const struct bilanx_call *call)
{
    uint64_t sum = 0;
    call_each_value(call, add_bytes, &sum);
    return sum;
}

struct adapter {
    struct call_memory *memory;
    const struct operator_options *options;
    const struct log_type *real;  // what the narrowest floating-point type becomes
    unsigned narrowest;           // bits of a real number in the call
    struct bilanx_error error;
};

// Bits of each part.
static unsigned real_bits(const struct log_type *type)
{
    return type->kind == LOG_TYPE_COMPLEX ? type->type.bits / 2u : type->type.bits;
}

static const struct log_type *type_of(const struct bilanx_value *value)
{
    if (value->kind == BILANX_TENSOR)
        return log_type_of(value->tensor->dtype, value->is_bool);
    return value->kind == BILANX_WORD ? log_type_find(value->text) : NULL;
}

static bool find_narrowest(struct bilanx_value *value, const struct value_place *place,
                           void *context)
{
    struct adapter *adapter = context;
    const struct log_type *type = type_of(value);
    (void)place;
    if (type && type->kind != LOG_TYPE_EXACT && real_bits(type) < adapter->narrowest)
        adapter->narrowest = real_bits(type);
    return true;
}

// With mixed precision, statistics were kept in float32 beside tensors of half precision. They stay
// wider if the others stay narrow.
static const struct log_type *adapted_type(const struct adapter *adapter,
                                           const struct log_type *type)
{
    unsigned wanted = real_bits(adapter->real);
    if (type->kind == LOG_TYPE_EXACT)
        return type;
    if (type->kind == LOG_TYPE_COMPLEX)  // there is no arithmetic on complex halves
        return log_type_find(wanted == 64 ? "c128" : "c64");
    bool is_wider = real_bits(type) > adapter->narrowest;
    return is_wider && wanted < 32 ? log_type_find("f32") : adapter->real;
}

static void lay_out_channels_last(DLTensor *tensor)
{
    int64_t *shape = tensor->shape, *strides = tensor->strides;
    int64_t sizes[4];
    for (int d = 0; d < 4; d++)
        sizes[d] = shape[d] > 1 ? shape[d] : 1;
    strides[1] = 1;
    strides[3] = sizes[1];
    strides[2] = sizes[3] * strides[3];
    strides[0] = sizes[2] * strides[2];
}

static bool adapt_tensor(struct bilanx_value *value, struct adapter *adapter)
{
    const struct log_type *type = type_of(value);
    type = type ? adapted_type(adapter, type) : NULL;
    if (!type || !dtype_of(type->type, type->is_bool)) {
        adapter->error = bilanx_error_make(BILANX_E_SKIPPED, "tensors of type %s are not supported",
                                           type ? type->name : "unknown");
        return false;
    }
    value->tensor->dtype = type->type;
    if (adapter->options->channels_last && value->tensor->ndim == 4 && !value->sparse)
        lay_out_channels_last(value->tensor);
    return true;
}

static bool is_device(const char *text)
{
    static const char *const names[] = {"cuda", "hip", "xpu", "mps", "xla", "meta", "cpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (text_starts(text, names[i]) && (!text[size] || text[size] == ':'))
            return true;
    }
    return false;
}

// Everything runs on the CPU, in memory that is not pinned.
static bool adapt_value(struct bilanx_value *value, const struct value_place *place, void *context)
{
    struct adapter *adapter = context;
    if (value->kind == BILANX_TENSOR)
        return adapt_tensor(value, adapter);
    const struct log_type *type = type_of(value);
    if (type)
        value->text = adapted_type(adapter, type)->name;
    else if (value->kind == BILANX_TEXT && is_device(value->text))
        value->text = "cpu";
    else if (place->keyword && strcmp(place->keyword, "pin_memory") == 0)
        *value = (struct bilanx_value){.kind = BILANX_NONE};
    return true;
}

// Only on a GPU can softmax convert halves to floats on the way.
static void adapt_softmax(const struct bilanx_call *call)
{
    static const char *const names[] = {"aten._softmax.default", "aten._log_softmax.default"};
    struct bilanx_value *arguments = (struct bilanx_value *)call->arguments;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call->name, names[i]) == 0 && call->argument_count > 2 &&
            arguments[2].kind == BILANX_TRUTH)
            arguments[2].integer = false;
}

struct bilanx_error operator_call_adapt(struct operator_call *call,
                                        const struct operator_options *options)
{
    const char *name = options->dtype ? options->dtype : "f32";
    struct adapter adapter = {.memory = call->storage,
                              .options = options,
                              .real = log_type_find(name),
                              .narrowest = 64,
                              .error = BILANX_SUCCESS};
    if (!adapter.real || adapter.real->kind != LOG_TYPE_REAL ||
        !dtype_of(adapter.real->type, false))
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is none of f32, f16, bf16, f64", name);
    call_each_value(&call->call, find_narrowest, &adapter);
    call_each_value(&call->call, adapt_value, &adapter);
    adapt_softmax(&call->call);
    return adapter.error;
}

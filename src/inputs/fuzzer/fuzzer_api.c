// fuzzer_api: the functions of <bilanx/fuzzer.h>.
#include "bilanx/fuzzer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/want.h"
#include "inputs/tensors/tensor.h"
#include "opened.h"

struct callback {
    struct bilanx_fuzzer *fuzzer;
    struct bilanx_fuzzer_constraint constraint;
};

struct bilanx_fuzzer {
    struct fuzzer *fuzzer;
    struct sample sample;        // the last one
    struct bilanx_sample shown;  // the same, for the caller
    struct bilanx_sample_parameter *parameters;
    struct bilanx_sample_tensor *tensors;
    struct callback *callbacks;  // one per constraint
};

_Static_assert((int)BILANX_FUZZER_DIMENSIONS == (int)TENSOR_DIMENSIONS, "both are at most this");

void bilanx_fuzzer_free(struct bilanx_fuzzer *fuzzer)
{
    if (!fuzzer)
        return;
    fuzzer_free(fuzzer->fuzzer);
    sample_done(&fuzzer->sample);
    free(fuzzer->parameters);
    free(fuzzer->tensors);
    free(fuzzer->callbacks);
    free(fuzzer);
}
SCOPE_POINTER(bilanx_fuzzer, bilanx_fuzzer_free)

static void set_up(struct bilanx_fuzzer *fuzzer)
{
    size_t parameters = fuzzer_parameter_count(fuzzer->fuzzer);
    size_t tensors = fuzzer_tensor_count(fuzzer->fuzzer);
    fuzzer->parameters = mem_array(struct bilanx_sample_parameter, parameters + 1);
    fuzzer->tensors = mem_array(struct bilanx_sample_tensor, tensors + 1);
    for (size_t i = 0; i < parameters; i++)
        fuzzer->parameters[i].name = fuzzer_parameter_name(fuzzer->fuzzer, i);
    fuzzer->shown = (struct bilanx_sample){
        .parameters = fuzzer->parameters,
        .parameter_count = parameters,
        .tensors = fuzzer->tensors,
    };
}

static void set_parameter(struct bilanx_sample_parameter *shown, bool is_real, int64_t integer,
                          double number)
{
    shown->is_real = is_real;
    shown->integer = integer;
    shown->number = number;
}

static bool call(void *context, const struct value *values)
{
    const struct callback *callback = context;
    struct bilanx_fuzzer *fuzzer = callback->fuzzer;
    fuzzer->shown.tensor_count = 0;
    for (size_t i = 0; i < fuzzer->shown.parameter_count; i++)
        set_parameter(&fuzzer->parameters[i], values[i].is_real, values[i].integer,
                      values[i].number);
    return callback->constraint.holds(callback->constraint.context, &fuzzer->shown);
}

static struct value value_of(struct bilanx_fuzzer_number number)
{
    return number.real != 0 ? value_real(number.real) : value_integer(number.integer);
}

static void add_parameter(struct spec *spec, const struct bilanx_fuzzer_parameter *from)
{
    struct spec_parameter *parameter = spec_add_parameter(spec, from->name);
    parameter->distribution =
        from->distribution == BILANX_DRAW_LOGUNIFORM ? SPEC_LOGUNIFORM : SPEC_UNIFORM;
    parameter->min = value_of(from->min);
    parameter->max = value_of(from->max);
    parameter->strict = from->strict;
    if (!from->choices)
        return;
    const struct bilanx_fuzzer_choice *choice = from->choices;
    size_t room = 0;
    parameter->distribution = SPEC_CHOICES;
    for (; choice->probability != 0 || choice->alias || choice->value.integer ||
           choice->value.real != 0;
         choice++) {
        mem_grow(parameter->choices, parameter->choice_count, &room);
        parameter->choices[parameter->choice_count++] = (struct spec_choice){
            .alias = spec_text(spec, choice->alias),
            .value = value_of(choice->value),
            .probability = choice->probability,
        };
    }
}

static struct spec_term term_of(struct spec *spec, const char *text)
{
    return (struct spec_term){.text = spec_text(spec, text)};
}

static void add_terms(struct spec *spec, const char *const *texts, struct spec_terms *out)
{
    while (out->count < TENSOR_DIMENSIONS && texts[out->count]) {
        out->items[out->count] = term_of(spec, texts[out->count]);
        out->count++;
    }
    out->given = out->count > 0;
}

static void set_fill(struct spec *spec, const struct bilanx_fuzzer_tensor *from,
                     struct spec_tensor *tensor)
{
    static const enum tensor_fill fills[] = {
        [BILANX_FILL_USUAL] = TENSOR_UNIFORM,   [BILANX_FILL_UNIFORM] = TENSOR_UNIFORM,
        [BILANX_FILL_NORMAL] = TENSOR_NORMAL,   [BILANX_FILL_PERMUTATION] = TENSOR_PERMUTATION,
        [BILANX_FILL_INDICES] = TENSOR_INDICES,
    };
    tensor->fill = fills[from->fill];
    tensor->fill_given = from->fill != BILANX_FILL_USUAL;
    tensor->low = from->low;
    tensor->high = from->high;
    tensor->indices_of = spec_text(spec, from->indices_of ? from->indices_of : "");
    tensor->nan_share = from->nan;
    tensor->inf_share = from->inf;
}

static void add_tensor(struct spec *spec, const struct bilanx_fuzzer_tensor *from)
{
    struct spec_tensor *tensor = spec_add_tensor(spec, from->name);
    add_terms(spec, from->size, &tensor->size);
    add_terms(spec, from->steps, &tensor->steps);
    add_terms(spec, from->torch_steps, &tensor->torch_steps);
    if (from->probability_contiguous != 0)
        tensor->probability_contiguous =
            from->probability_contiguous == BILANX_FUZZER_NEVER ? 0 : from->probability_contiguous;
    tensor->limits[SPEC_MIN_ELEMENTS] = from->min_elements;
    tensor->limits[SPEC_MAX_ELEMENTS] = from->max_elements;
    tensor->limits[SPEC_MAX_BYTES] = from->max_bytes;
    tensor->dim = term_of(spec, from->dim);
    tensor->roll = term_of(spec, from->roll);
    if (from->dtype)
        tensor->dtype_name = spec_text(spec, from->dtype);
    tensor->may_be_empty = from->empty;
    tensor->is_sparse = from->density || from->nnz;
    tensor->sparse_dim = term_of(spec, from->sparse_dim);
    tensor->density = term_of(spec, from->density);
    tensor->nonzeros = term_of(spec, from->nnz);
    tensor->coalesced = term_of(spec, from->coalesced);
    set_fill(spec, from, tensor);
}

static struct bilanx_error add_constraints(struct bilanx_fuzzer *fuzzer, struct spec *spec,
                                           const struct bilanx_fuzzer_constraint *from)
{
    size_t count = 0;
    while (from && (from[count].expression || from[count].holds))
        count++;
    fuzzer->callbacks = mem_array(struct callback, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct spec_constraint *constraint = spec_add_constraint(spec);
        if (from[i].expression && from[i].holds)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "constraint %zu has both an expression and a function", i);
        fuzzer->callbacks[i] = (struct callback){fuzzer, from[i]};
        constraint->text = spec_text(spec, from[i].expression);
        constraint->holds = call;
        constraint->context = &fuzzer->callbacks[i];
    }
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_fuzzer_new(const struct bilanx_fuzzer_spec *from,
                                      struct bilanx_fuzzer **out)
{
    WANT(from);
    WANT(out);
    AUTO(bilanx_fuzzer) struct bilanx_fuzzer *fuzzer = mem_new(struct bilanx_fuzzer);
    AUTO(spec) struct spec spec = {0};
    spec.name = spec_text(&spec, from->name);
    spec.compat = from->compat == BILANX_FUZZER_FIXED ? FUZZER_FIXED : FUZZER_TORCH;
    spec.seed = from->seed;
    for (const struct bilanx_fuzzer_parameter *p = from->parameters; p && p->name; p++)
        add_parameter(&spec, p);
    for (const struct bilanx_fuzzer_tensor *t = from->tensors; t && t->name; t++)
        add_tensor(&spec, t);
    BILANX_TRY(add_constraints(fuzzer, &spec, from->constraints));
    BILANX_TRY(spec_check(&spec));
    fuzzer->fuzzer = fuzzer_of(&spec);
    set_up(fuzzer);
    *out = TAKE(fuzzer);
    return BILANX_SUCCESS;
}

static struct bilanx_error wrap(struct bilanx_error error, struct fuzzer *fuzzer,
                                struct bilanx_fuzzer **out)
{
    BILANX_TRY(error);
    struct bilanx_fuzzer *wrapped = mem_new(struct bilanx_fuzzer);
    wrapped->fuzzer = fuzzer;
    set_up(wrapped);
    *out = wrapped;
    return BILANX_SUCCESS;
}

struct bilanx_error bilanx_fuzzer_open(const char *spec, struct bilanx_fuzzer **out)
{
    WANT(spec);
    WANT(out);
    struct fuzzer *fuzzer = NULL;
    struct bilanx_error error = fuzzer_open(spec, &fuzzer);
    return wrap(error, fuzzer, out);
}

struct bilanx_error bilanx_fuzzer_read_text(const char *text, size_t size, const char *name,
                                            struct bilanx_fuzzer **out)
{
    WANT(text);
    WANT(name);
    WANT(out);
    struct fuzzer *fuzzer = NULL;
    struct bilanx_error error = fuzzer_read_text(text, size, name, &fuzzer);
    return wrap(error, fuzzer, out);
}

struct bilanx_error bilanx_fuzzer_set_seed(struct bilanx_fuzzer *fuzzer, uint64_t seed)
{
    WANT(fuzzer);
    return fuzzer_set_seed(fuzzer->fuzzer, seed);
}

struct bilanx_error bilanx_fuzzer_set_dtype(struct bilanx_fuzzer *fuzzer, const char *dtype)
{
    WANT(fuzzer);
    WANT(dtype);
    return fuzzer_set_dtype(fuzzer->fuzzer, dtype);
}

static void show_tensor(const struct tensor_description *from, struct bilanx_sample_tensor *out)
{
    *out = (struct bilanx_sample_tensor){
        .name = from->name,
        .dtype = dtype_of(from->dtype, from->is_bool)->name,
        .dimensions = from->dimensions,
        .elements = tensor_elements(from),
        .bytes = tensor_bytes(from),
        .is_contiguous = tensor_is_contiguous(from),
        .is_sparse = from->is_sparse,
        .sparse_dim = from->sparse_dimensions,
        .nnz = from->nonzeros,
        .is_coalesced = from->is_coalesced,
    };
    memcpy(out->shape, from->shape, sizeof out->shape);
    memcpy(out->strides, from->strides, sizeof out->strides);
    memcpy(out->steps, from->steps, sizeof out->steps);
    memcpy(out->order, from->order, sizeof out->order);
}

struct bilanx_error bilanx_fuzzer_sample(struct bilanx_fuzzer *fuzzer, size_t index,
                                         const struct bilanx_sample **out)
{
    WANT(fuzzer);
    WANT(out);
    struct sample sample = {0};
    BILANX_TRY(fuzzer_sample(fuzzer->fuzzer, index, &sample));
    sample_done(&fuzzer->sample);
    fuzzer->sample = sample;
    for (size_t i = 0; i < sample.parameter_count; i++)
        set_parameter(&fuzzer->parameters[i], sample.parameters[i].is_real,
                      sample.parameters[i].integer, sample.parameters[i].number);
    for (size_t i = 0; i < sample.tensor_count; i++)
        show_tensor(&sample.tensors[i], &fuzzer->tensors[i]);
    fuzzer->shown.index = index;
    fuzzer->shown.tensor_count = sample.tensor_count;
    fuzzer->shown.rejected = fuzzer_rejected(fuzzer->fuzzer);
    *out = &fuzzer->shown;
    return BILANX_SUCCESS;
}

double bilanx_fuzzer_rejection_rate(const struct bilanx_fuzzer *fuzzer)
{
    return fuzzer ? fuzzer_rejection_rate(fuzzer->fuzzer) : 0;
}

static const struct bilanx_sample_parameter *find(const struct bilanx_sample *sample,
                                                  const char *name)
{
    static const struct bilanx_sample_parameter none;
    for (size_t i = 0; sample && name && i < sample->parameter_count; i++)
        if (strcmp(sample->parameters[i].name, name) == 0)
            return &sample->parameters[i];
    return &none;
}

int64_t bilanx_sample_integer(const struct bilanx_sample *sample, const char *name)
{
    const struct bilanx_sample_parameter *parameter = find(sample, name);
    if (!parameter->is_real)
        return parameter->integer;
    double number = parameter->number;
    return number >= 0x1p63 ? INT64_MAX : number < -0x1p63 ? INT64_MIN : (int64_t)number;
}

double bilanx_sample_number(const struct bilanx_sample *sample, const char *name)
{
    return find(sample, name)->number;
}

static struct bilanx_error find_tensor(const struct bilanx_fuzzer *fuzzer, const char *name,
                                       bool sparse, size_t *out)
{
    for (size_t i = 0; i < fuzzer->sample.tensor_count; i++) {
        if (strcmp(fuzzer->sample.tensors[i].name, name) != 0)
            continue;
        if (fuzzer->sample.tensors[i].is_sparse != sparse)
            return bilanx_error_make(
                BILANX_E_USAGE, "tensor '%s' is %s: call %s", name, sparse ? "dense" : "sparse",
                sparse ? "bilanx_fuzzer_make()" : "bilanx_fuzzer_make_sparse()");
        *out = i;
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_USAGE, "the sample has no tensor '%.60s'", name);
}

struct bilanx_error bilanx_fuzzer_make(const struct bilanx_fuzzer *fuzzer, const char *tensor,
                                       struct DLManagedTensor **out)
{
    WANT(fuzzer);
    WANT(tensor);
    WANT(out);
    size_t i = 0;
    BILANX_TRY(find_tensor(fuzzer, tensor, false, &i));
    return fuzzer_blame(fuzzer->fuzzer, i, tensor_make(&fuzzer->sample.tensors[i], out));
}

struct bilanx_error bilanx_fuzzer_make_sparse(const struct bilanx_fuzzer *fuzzer,
                                              const char *tensor, struct DLManagedTensor **indices,
                                              struct DLManagedTensor **values)
{
    WANT(fuzzer);
    WANT(tensor);
    WANT(indices);
    WANT(values);
    size_t i = 0;
    BILANX_TRY(find_tensor(fuzzer, tensor, true, &i));
    return fuzzer_blame(fuzzer->fuzzer, i,
                        tensor_make_sparse(&fuzzer->sample.tensors[i], indices, values));
}

// samples: draws the inputs of a measurement.
#include "samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/number.h"
#include "inputs/fuzzer/fuzzer.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor.h"

void samples_done(struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct samples_item *item = &samples->items[i];
        sample_done(&item->sample);
        free(item->text);
        free(item->description);
        free(item->parameters);
    }
    free(samples->items);
    free(samples->names);
    *samples = (struct samples){0};
}

struct bilanx_error samples_check_as(const char *as)
{
    static const char *const kinds[] = {"torch", "numpy", "dlpack"};
    for (size_t i = 0; as && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(as, kinds[i]) == 0)
            return BILANX_SUCCESS;
    return as ? bilanx_error_make(BILANX_E_USAGE, "'as' is torch, numpy or dlpack, not '%.60s'", as)
              : BILANX_SUCCESS;
}

static struct bilanx_error open_spec(const struct samples_request *request, struct fuzzer **out)
{
    if (strcmp(request->spec, "-") == 0)
        return bilanx_error_make(BILANX_E_USAGE, "inputs cannot come from stdin: name a file");
    bool relative = request->directory && *request->spec != '/';
    bool shipped = false;
    for (const struct fuzzer_shipped *one = fuzzer_shipped; one->name; one++)
        shipped |= strcmp(one->name, request->spec) == 0;
    AUTO(memory) char *path = relative && !shipped
                                  ? mem_format("%s/%s", request->directory, request->spec)
                                  : mem_text(request->spec);
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
    BILANX_TRY(fuzzer_open(path, &fuzzer));
    uint64_t seed = 0;
    if (request->seed && !number_read_count(request->seed, &seed))
        return bilanx_error_make(BILANX_E_USAGE,
                                 "the seed of inputs is a whole number below 2^32, not '%s'",
                                 request->seed);
    if (request->seed)
        BILANX_TRY(fuzzer_set_seed(fuzzer, seed));
    if (request->dtype)
        BILANX_TRY(fuzzer_set_dtype(fuzzer, request->dtype));
    *out = TAKE(fuzzer);
    return BILANX_SUCCESS;
}

// The cost of a sparse tensor depends on its stored elements.
static double elements_of(const struct tensor_description *tensor)
{
    if (!tensor->is_sparse)
        return (double)tensor_elements(tensor);
    double elements = (double)tensor->nonzeros;
    for (int i = tensor->sparse_dimensions; i < tensor->dimensions; i++)
        elements *= (double)tensor->shape[i];
    return elements;
}

static void add_list(struct json_writer *json, const char *key, const int64_t *values, int count)
{
    writer_key(json, key);
    writer_open(json, '[');
    for (int i = 0; i < count; i++)
        writer_number(json, (double)values[i]);
    writer_close(json, ']');
}

static void add_tensor(struct json_writer *json, const struct tensor_description *tensor)
{
    writer_key(json, tensor->name);
    writer_open(json, '{');
    const struct dtype *dtype = dtype_of(tensor->dtype, tensor->is_bool);
    if (dtype)
        writer_key_text(json, "dtype", dtype->name);
    add_list(json, "shape", tensor->shape, tensor->dimensions);
    if (tensor->is_sparse) {
        writer_key_count(json, "nnz", (uint64_t)tensor->nonzeros);
        writer_key(json, "is_coalesced");
        writer_bool(json, tensor->is_coalesced);
    } else {
        add_list(json, "strides", tensor->strides, tensor->dimensions);
        add_list(json, "steps", tensor->steps, tensor->dimensions);
        writer_key(json, "is_contiguous");
        writer_bool(json, tensor_is_contiguous(tensor));
    }
    writer_close(json, '}');
}

// Writes the parameters under their own names, so that tables can tell tasks apart, and the rest
// under one name.
static char *parameters_of(const struct samples_item *item, const struct fuzzer *fuzzer,
                           size_t index)
{
    struct text text = {0};
    struct json_writer json = {.out = &text};
    writer_open(&json, '{');
    for (size_t i = 0; i < item->sample.parameter_count; i++)
        writer_key_number(&json, item->sample.parameters[i].name,
                          item->sample.parameters[i].number);
    writer_key(&json, "inputs");
    writer_open(&json, '{');
    writer_key_text(&json, "spec", fuzzer_name(fuzzer));
    writer_key_count(&json, "seed", fuzzer_seed(fuzzer));
    writer_key_count(&json, "sample", index);
    writer_key_number(&json, SAMPLES_ELEMENTS, item->elements);
    writer_key(&json, "tensors");
    writer_open(&json, '{');
    for (size_t i = 0; i < item->sample.tensor_count; i++)
        add_tensor(&json, &item->sample.tensors[i]);
    writer_close(&json, '}');
    writer_close(&json, '}');
    writer_close(&json, '}');
    return text_take(&text);
}

static void fill(struct samples_item *item, const struct fuzzer *fuzzer, size_t index)
{
    struct text text = {0}, description = {0};
    sample_write(&item->sample, &text);
    samples_describe(&item->sample, &description);
    for (size_t i = 0; i < item->sample.tensor_count; i++) {
        double elements = elements_of(&item->sample.tensors[i]);
        item->elements = elements > item->elements ? elements : item->elements;
        item->bytes += tensor_allocation(&item->sample.tensors[i]);
    }
    item->text = text_take(&text);
    item->description = text_take(&description);
    item->parameters = parameters_of(item, fuzzer, index);
}

// Tables and `bilanx ab` find cases by their names.
static void number_equal_ones(struct samples *samples)
{
    AUTO(index) struct index seen = {0};
    AUTO(memory) size_t *times = mem_array(size_t, samples->count);
    for (size_t i = 0; i < samples->count; i++) {
        struct hash key = hash_start();
        bool added;
        hash_add_text(&key, samples->items[i].description);
        size_t first = index_find_or_add(&seen, key, i, &added);
        if (++times[first] == 1)
            continue;
        char *numbered = mem_format("%s #%zu", samples->items[i].description, times[first]);
        free(samples->items[i].description);
        samples->items[i].description = numbered;
    }
}

// A parameter that is a real number in one sample is a real number in all.
static char *names_of(const struct samples *samples)
{
    struct text names = {0};
    const struct sample *first = &samples->items[0].sample;
    for (size_t i = 0; i < first->parameter_count; i++) {
        bool real = false;
        for (size_t j = 0; j < samples->count; j++)
            real |= samples->items[j].sample.parameters[i].is_real;
        text_format(&names, "%s %s\n", real ? "real" : "integer", first->parameters[i].name);
    }
    for (size_t i = 0; i < first->tensor_count; i++)
        text_format(&names, "%s %s\n", first->tensors[i].is_sparse ? "sparse" : "tensor",
                    first->tensors[i].name);
    return text_take(&names);
}

struct ranked {
    struct samples_item item;
    double value;
    size_t place;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->value < right->value || left->value > right->value)
        return left->value < right->value ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static struct bilanx_error unknown_parameter(const struct fuzzer *fuzzer, const char *name)
{
    size_t count = fuzzer_parameter_count(fuzzer);
    AUTO(memory) const char **names = mem_array(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = fuzzer_parameter_name(fuzzer, i);
    names[count] = SAMPLES_ELEMENTS;
    const char *nearest = text_nearest(name, names, count + 1);
    return bilanx_error_make(BILANX_E_USAGE,
                             "cannot order by '%s': '%s' has no such parameter (%s '%s'%s)", name,
                             fuzzer_name(fuzzer), nearest ? "did you mean" : "there is also",
                             nearest ? nearest : SAMPLES_ELEMENTS, nearest ? "?" : "");
}

static struct bilanx_error order(struct samples *samples, const struct fuzzer *fuzzer,
                                 const char *by)
{
    AUTO(memory) struct ranked *ranked = mem_array(struct ranked, samples->count);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample_parameter *parameter = sample_parameter(&samples->items[i].sample, by);
        if (!parameter && strcmp(by, SAMPLES_ELEMENTS) != 0)
            return unknown_parameter(fuzzer, by);
        ranked[i] =
            (struct ranked){.item = samples->items[i],
                            .value = parameter ? parameter->number : samples->items[i].elements,
                            .place = i};
    }
    qsort(ranked, samples->count, sizeof *ranked, by_value);
    for (size_t i = 0; i < samples->count; i++)
        samples->items[i] = ranked[i].item;
    return BILANX_SUCCESS;
}

struct bilanx_error samples_draw(const struct samples_request *request, struct samples *out)
{
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
    AUTO(samples) struct samples samples = {0};
    size_t take = request->take ? request->take : SAMPLES_USUAL;
    if (request->take > SAMPLES_MOST)
        return bilanx_error_make(BILANX_E_USAGE, "cannot take more than %d samples", SAMPLES_MOST);
    BILANX_TRY(samples_check_as(request->as));
    BILANX_TRY(open_spec(request, &fuzzer));
    samples.items = mem_array(struct samples_item, take);
    for (; samples.count < take; samples.count++) {
        struct samples_item *item = &samples.items[samples.count];
        BILANX_TRY(fuzzer_sample(fuzzer, samples.count, &item->sample));
        fill(item, fuzzer, samples.count);
    }
    number_equal_ones(&samples);
    samples.names = names_of(&samples);
    if (request->order_by)
        BILANX_TRY(order(&samples, fuzzer, request->order_by));
    *out = samples;
    samples = (struct samples){0};
    return BILANX_SUCCESS;
}

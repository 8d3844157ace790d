// fuzz_report: samples as tables and as JSON.
#include "fuzz_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/number.h"
#include "inputs/tensors/dtype.h"
#include "inputs/tensors/tensor.h"

const char *const fuzz_part_names[FUZZ_PARTS] = {"indices", "values"};

static void add_integers(struct json_writer *json, const char *key, const int64_t *numbers,
                         int count)
{
    writer_key(json, key);
    writer_open(json, '[');
    for (int i = 0; i < count; i++) {
        char digits[NUMBER_SIZE];
        snprintf(digits, sizeof digits, "%" PRId64, numbers[i]);
        writer_raw(json, digits);
    }
    writer_close(json, ']');
}

static void add_bool(struct json_writer *json, const char *key, bool value)
{
    writer_key(json, key);
    writer_bool(json, value);
}

static void add_data(struct json_writer *json, const struct fuzz_data *data)
{
    char digits[NUMBER_SIZE];
    snprintf(digits, sizeof digits, "%016" PRIx64, data->checksum);
    writer_open(json, '{');
    writer_key_number(json, "min", data->min);
    writer_key_number(json, "max", data->max);
    writer_key_number(json, "mean", data->mean);
    writer_key_count(json, "nan", data->nans);
    writer_key_count(json, "inf", data->infinities);
    writer_key_text(json, "checksum", digits);
    writer_close(json, '}');
}

static void add_all_data(struct json_writer *json, bool is_sparse, const struct fuzz_data *data)
{
    writer_key(json, "data");
    if (!is_sparse) {
        add_data(json, data);
        return;
    }
    writer_open(json, '{');
    for (size_t i = 0; i < FUZZ_PARTS; i++) {
        writer_key(json, fuzz_part_names[i]);
        add_data(json, &data[i]);
    }
    writer_close(json, '}');
}

static void add_tensor(struct json_writer *json, const struct tensor_description *tensor,
                       const struct fuzz_data *data)
{
    int64_t order[TENSOR_DIMENSIONS];
    for (int i = 0; i < tensor->dimensions; i++)
        order[i] = tensor->order[i];
    writer_key(json, tensor->name);
    writer_open(json, '{');
    add_integers(json, "shape", tensor->shape, tensor->dimensions);
    add_integers(json, "strides", tensor->strides, tensor->dimensions);
    add_integers(json, "steps", tensor->steps, tensor->dimensions);
    add_integers(json, "order", order, tensor->dimensions);
    writer_key_text(json, "dtype", dtype_of(tensor->dtype, tensor->is_bool)->name);
    writer_key_count(json, "numel", tensor_elements(tensor));
    add_bool(json, "is_contiguous", tensor_is_contiguous(tensor));
    if (tensor->is_sparse) {
        writer_key_count(json, "sparse_dim", (uint64_t)tensor->sparse_dimensions);
        writer_key_count(json, "dense_dim",
                         (uint64_t)(tensor->dimensions - tensor->sparse_dimensions));
        writer_key_count(json, "nnz", (uint64_t)tensor->nonzeros);
        add_bool(json, "is_coalesced", tensor->is_coalesced);
    }
    if (data)
        add_all_data(json, tensor->is_sparse, data);
    writer_close(json, '}');
}

// Every digit, and a point in a real that is integral, so that it is read back as one.
static const char *write_parameter(const struct sample_parameter *parameter, char *out, size_t size)
{
    char digits[NUMBER_SIZE];
    if (!parameter->is_real) {
        snprintf(out, size, "%" PRId64, parameter->integer);
        return out;
    }
    number_shortest(parameter->number, digits);
    snprintf(out, size, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
    return out;
}

void fuzz_add_json(const struct sample *sample, uint64_t rejected, const struct fuzz_data *data,
                   struct text *out)
{
    struct json_writer json = {.out = out};
    writer_open(&json, '{');
    writer_key(&json, "parameters");
    writer_open(&json, '{');
    for (size_t i = 0; i < sample->parameter_count; i++) {
        char digits[NUMBER_SIZE + 2];
        writer_key(&json, sample->parameters[i].name);
        writer_raw(&json, write_parameter(&sample->parameters[i], digits, sizeof digits));
    }
    writer_close(&json, '}');
    writer_key(&json, "tensors");
    writer_open(&json, '{');
    for (size_t i = 0; i < sample->tensor_count; i++)
        add_tensor(&json, &sample->tensors[i], data ? &data[i * FUZZ_PARTS] : NULL);
    writer_close(&json, '}');
    writer_key_count(&json, "rejected", rejected);
    writer_close(&json, '}');
    text_add_char(out, '\n');
}

// The properties of a tensor, for programs.
static const char *const tensor_columns[] = {"shape", "strides", "steps",        "order",
                                             "dtype", "numel",   "is_contiguous"};

static void add_tensor_columns(struct table *table, const char *name, bool plain)
{
    if (!plain) {
        table_column(table, name, TABLE_LEFT);
        return;
    }
    for (size_t i = 0; i < sizeof tensor_columns / sizeof *tensor_columns; i++) {
        AUTO(text) struct text title = {0};
        text_format(&title, "%s_%s", name, tensor_columns[i]);
        table_column(table, text_get(&title), TABLE_LEFT);
    }
}

void fuzz_add_columns(struct table *table, const struct fuzzer *fuzzer, struct fuzz_columns which)
{
    table_column(table, "sample", TABLE_RIGHT);
    for (size_t i = 0; i < fuzzer_parameter_count(fuzzer); i++)
        if (which.all || !fuzzer_parameter_is_helper(fuzzer, i))
            table_column(table, fuzzer_parameter_name(fuzzer, i), TABLE_RIGHT);
    for (size_t i = 0; i < fuzzer_tensor_count(fuzzer); i++)
        add_tensor_columns(table, fuzzer_tensor_name(fuzzer, i), which.plain);
    table_column(table, "rejected", TABLE_RIGHT);
}

static void add_plain_cells(struct table *table, const struct tensor_description *tensor)
{
    const int64_t *const lists[] = {tensor->shape, tensor->strides, tensor->steps, NULL};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        AUTO(text) struct text numbers = {0};
        for (int i = 0; i < tensor->dimensions; i++)
            text_format(&numbers, "%s%" PRId64, i ? "x" : "",
                        lists[list] ? lists[list][i] : (int64_t)tensor->order[i]);
        table_cell(table, TABLE_PLAIN, "%s", text_get(&numbers));
    }
    table_cell(table, TABLE_PLAIN, "%s", dtype_of(tensor->dtype, tensor->is_bool)->name);
    table_cell(table, TABLE_PLAIN, "%" PRIu64, tensor_elements(tensor));
    table_cell(table, TABLE_PLAIN, "%s", tensor_is_contiguous(tensor) ? "true" : "false");
}

static void add_parameter_cell(struct table *table, const struct sample_parameter *parameter,
                               bool plain)
{
    char digits[NUMBER_SIZE + 2];
    if (parameter->is_real && !plain)
        table_cell(table, TABLE_PLAIN, "%.6g", parameter->number);
    else
        table_cell(table, TABLE_PLAIN, "%s", write_parameter(parameter, digits, sizeof digits));
}

void fuzz_add_row(struct table *table, const struct fuzzer *fuzzer, struct fuzz_columns which,
                  size_t index, const struct sample *sample)
{
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%zu", index);
    for (size_t i = 0; i < sample->parameter_count; i++)
        if (which.all || !fuzzer_parameter_is_helper(fuzzer, i))
            add_parameter_cell(table, &sample->parameters[i], which.plain);
    for (size_t i = 0; i < sample->tensor_count; i++) {
        AUTO(text) struct text described = {0};
        if (which.plain) {
            add_plain_cells(table, &sample->tensors[i]);
            continue;
        }
        tensor_describe(&sample->tensors[i], &described);
        table_cell(table, TABLE_BOLD, "%s", text_get(&described));
    }
    table_cell(table, TABLE_DIM, "%" PRIu64, fuzzer_rejected(fuzzer));
}

void fuzz_add_data_columns(struct table *table)
{
    static const char *const titles[] = {"min", "max", "mean", "nan", "inf", "checksum"};
    table_column(table, "sample", TABLE_RIGHT);
    table_column(table, "tensor", TABLE_LEFT);
    table_column(table, "numbers", TABLE_RIGHT);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(table, titles[i], TABLE_RIGHT);
}

static void add_data_row(struct table *table, size_t index, const char *name, const char *part,
                         const struct fuzz_data *data)
{
    const double numbers[] = {data->min, data->max, data->mean};
    const uint64_t counts[] = {data->nans, data->infinities};
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%zu", index);
    table_cell(table, TABLE_BOLD, "%s%s%s", name, *part ? " " : "", part);
    table_cell(table, TABLE_PLAIN, "%" PRIu64, data->elements);
    for (size_t i = 0; i < 3; i++)
        if (data->elements)
            table_cell(table, TABLE_PLAIN, "%.6g", numbers[i]);
        else
            table_cell(table, TABLE_PLAIN, "%s", "");
    for (size_t i = 0; i < 2; i++)
        if (counts[i])
            table_cell(table, TABLE_PLAIN, "%" PRIu64, counts[i]);
        else
            table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, TABLE_DIM, "%016" PRIx64, data->checksum);
}

void fuzz_add_data_rows(struct table *table, size_t index, const struct sample *sample,
                        const struct fuzz_data *data)
{
    for (size_t i = 0; i < sample->tensor_count; i++) {
        const struct tensor_description *tensor = &sample->tensors[i];
        for (size_t part = 0; part < (tensor->is_sparse ? FUZZ_PARTS : 1); part++)
            add_data_row(table, index, tensor->name, tensor->is_sparse ? fuzz_part_names[part] : "",
                         &data[i * FUZZ_PARTS + part]);
    }
}

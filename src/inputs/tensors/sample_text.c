// sample_text: a sample as one line of words.
//
//     k0=16 ratio=0.5 x=f32:16,34:34,1:1,1:0,1:uniform,0,1:0,0:7132
//     s=f32:9,9:9,1:1,1:0,1:normal,0,1:0,0:8:2,20,coalesced
//
// A parameter is an integer, or a real with a point or an exponent. A tensor is its type, shape,
// strides, steps, order, distribution with its two numbers, shares of NaN and infinity, and seed;
// if it is sparse also the number of sparse dimensions and of nonzeros, and whether it is
// coalesced. Parts of a tensor are separated by colons and lists by commas. In names, '=', '%',
// blanks and control characters are written as %XX.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/number.h"
#include "dtype.h"
#include "sample.h"
#include "tensor.h"

enum { LONGEST = 1 << 20 };  // bytes of a line

static const char *const fills[] = {
    [TENSOR_UNIFORM] = "uniform",
    [TENSOR_NORMAL] = "normal",
    [TENSOR_PERMUTATION] = "permutation",
    [TENSOR_INDICES] = "indices",
};
enum { FILLS = sizeof fills / sizeof *fills };
static const char *const coalescences[] = {"uncoalesced", "coalesced"};

// ---- Writing ----

static void write_name(struct text *out, const char *name)
{
    if (out->size > 0)
        text_add_char(out, ' ');
    escape_add(out, name, '=');
    text_add_char(out, '=');
}

static void write_real(struct text *out, double value)
{
    char digits[NUMBER_SIZE];
    text_add(out, number_shortest(value, digits));
}

static void write_parameter(struct text *out, const struct sample_parameter *parameter)
{
    write_name(out, parameter->name);
    if (!parameter->is_real) {
        text_format(out, "%" PRId64, parameter->integer);
        return;
    }
    char digits[NUMBER_SIZE];
    number_shortest(parameter->number, digits);
    text_add(out, digits);
    if (strspn(digits, "-0123456789") == strlen(digits))
        text_add(out, ".0");
}

static void write_integers(struct text *out, const int64_t *numbers, int count)
{
    text_add_char(out, ':');
    for (int i = 0; i < count; i++)
        text_format(out, "%s%" PRId64, i ? "," : "", numbers[i]);
}

static void write_order(struct text *out, const int *order, int count)
{
    text_add_char(out, ':');
    for (int i = 0; i < count; i++)
        text_format(out, "%s%d", i ? "," : "", order[i]);
}

static void write_pair(struct text *out, double first, double second)
{
    write_real(out, first);
    text_add_char(out, ',');
    write_real(out, second);
}

static void write_tensor(struct text *out, const struct tensor_description *tensor)
{
    write_name(out, tensor->name);
    text_add(out, dtype_of(tensor->dtype, tensor->is_bool)->name);
    write_integers(out, tensor->shape, tensor->dimensions);
    write_integers(out, tensor->strides, tensor->dimensions);
    write_integers(out, tensor->steps, tensor->dimensions);
    write_order(out, tensor->order, tensor->dimensions);
    text_format(out, ":%s,", fills[tensor->fill]);
    write_pair(out, tensor->low, tensor->high);
    text_add_char(out, ':');
    write_pair(out, tensor->nan_share, tensor->inf_share);
    text_format(out, ":%" PRIu64, tensor->seed);
    if (tensor->is_sparse)
        text_format(out, ":%d,%" PRId64 ",%s", tensor->sparse_dimensions, tensor->nonzeros,
                    coalescences[tensor->is_coalesced]);
}

void sample_write(const struct sample *sample, struct text *out)
{
    struct text line = {0};
    for (size_t i = 0; i < sample->parameter_count; i++)
        write_parameter(&line, &sample->parameters[i]);
    for (size_t i = 0; i < sample->tensor_count; i++)
        write_tensor(&line, &sample->tensors[i]);
    text_add(out, text_get(&line));
    text_done(&line);
}

// ---- Reading: each function consumes what it reads ----

static bool read_integer(const char *text, int64_t *out)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno)
        return false;
    *out = value;
    return true;
}

static bool read_small(const char *text, int *out)
{
    int64_t value;
    if (!read_integer(text, &value) || value < INT32_MIN || value > INT32_MAX)
        return false;
    *out = (int)value;
    return true;
}

static bool read_seed(const char *text, uint64_t *out)
{
    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    *out = value;
    return errno == 0;
}

static struct bilanx_error bad_part(const char *name, const char *what, const char *text)
{
    return bilanx_error_make(BILANX_E_INPUT, "sample: tensor '%.60s': '%.40s' is not %s", name,
                             text ? text : "", what);
}

// Reads `count` integers separated by commas; count < 0: up to TENSOR_DIMENSIONS, and as many as
// there are.
static int read_integers(char *list, int count, int64_t *out)
{
    int found = 0;
    for (char *rest = list && *list ? list : NULL; rest; found++) {
        char *word = strsep(&rest, ",");
        if (found == TENSOR_DIMENSIONS || !read_integer(word, &out[found]))
            return -1;
    }
    return list && (count < 0 || found == count) ? found : -1;
}

static struct bilanx_error read_layout(char **parts, struct tensor_description *tensor)
{
    static const char *const names[] = {"strides, one for each dimension",
                                        "steps, one for each dimension",
                                        "an order of the dimensions"};
    char *shape = strsep(parts, ":");
    int64_t order[TENSOR_DIMENSIONS] = {0};
    AUTO(memory) char *shown = mem_text(shape);
    tensor->dimensions = read_integers(shape, -1, tensor->shape);
    if (tensor->dimensions < 0)
        return bad_part(tensor->name, "a shape of at most 16 dimensions", shown);
    int64_t *const lists[] = {tensor->strides, tensor->steps, order};
    for (int i = 0; i < 3; i++) {
        char *list = strsep(parts, ":");
        AUTO(memory) char *copy = mem_text(list);
        if (read_integers(list, tensor->dimensions, lists[i]) < 0)
            return bad_part(tensor->name, names[i], copy);
    }
    for (int i = 0; i < tensor->dimensions; i++)  // tensor_check() refuses what is out of range
        tensor->order[i] = order[i] < 0 || order[i] > TENSOR_DIMENSIONS ? -1 : (int)order[i];
    return BILANX_SUCCESS;
}

static bool read_pair(char *list, double *first, double *second)
{
    char *word = list ? strsep(&list, ",") : NULL;
    return word && list && number_read(word, first) && number_read(list, second);
}

static struct bilanx_error read_data(char **parts, struct tensor_description *tensor)
{
    char *range = strsep(parts, ":");
    char *fill = strsep(&range, ",");
    int found = 0;
    while (found < FILLS && fill && strcmp(fills[found], fill) != 0)
        found++;
    if (!fill || found == FILLS)
        return bad_part(tensor->name, "uniform, normal, permutation or indices", fill);
    tensor->fill = (enum tensor_fill)found;
    if (!read_pair(range, &tensor->low, &tensor->high))
        return bad_part(tensor->name, "two numbers after the distribution", range);
    char *shares = strsep(parts, ":");
    if (!read_pair(shares, &tensor->nan_share, &tensor->inf_share))
        return bad_part(tensor->name, "the shares of NaN and infinity", shares);
    char *seed = strsep(parts, ":");
    if (!seed || !read_seed(seed, &tensor->seed))
        return bad_part(tensor->name, "a seed", seed);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_sparse(char *part, struct tensor_description *tensor)
{
    char *rest = part, *dimensions = strsep(&rest, ","), *nonzeros = strsep(&rest, ",");
    tensor->is_sparse = true;
    tensor->is_coalesced = rest && strcmp(rest, coalescences[1]) == 0;
    bool is_known = tensor->is_coalesced || (rest && strcmp(rest, coalescences[0]) == 0);
    if (!nonzeros || !is_known || !read_small(dimensions, &tensor->sparse_dimensions) ||
        !read_integer(nonzeros, &tensor->nonzeros))
        return bad_part(tensor->name, "sparse dimensions, nonzeros, coalesced or uncoalesced",
                        part);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_tensor(char *value, struct tensor_description *tensor)
{
    char *parts = value, *type = strsep(&parts, ":");
    const struct dtype *dtype = dtype_find(type);
    if (!dtype)
        return bad_part(tensor->name, dtype_names(), type);
    tensor->dtype = dtype->type;
    tensor->is_bool = dtype->is_bool;
    BILANX_TRY(read_layout(&parts, tensor));
    BILANX_TRY(read_data(&parts, tensor));
    if (parts)
        BILANX_TRY(read_sparse(parts, tensor));
    struct bilanx_error error = tensor_check(tensor);
    if (error.status != BILANX_OK)
        return bilanx_error_make(BILANX_E_INPUT, "sample: %s", error.text);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_parameter(const char *value, struct sample_parameter *parameter)
{
    parameter->is_real = strspn(value, "-0123456789") != strlen(value);
    bool is_read = parameter->is_real ? number_read(value, &parameter->number)
                                      : read_integer(value, &parameter->integer);
    if (!is_read)
        return bilanx_error_make(BILANX_E_INPUT, "sample: '%.60s=%.40s' is not a number",
                                 parameter->name, value);
    if (!parameter->is_real)
        parameter->number = (double)parameter->integer;
    return BILANX_SUCCESS;
}

struct reading {
    struct sample sample;
    size_t parameter_room, tensor_room;
    struct index names;
};

static void reading_done(struct reading *reading)
{
    sample_done(&reading->sample);
    index_done(&reading->names);
}
SCOPE_VALUE(reading, reading_done)

static struct bilanx_error check_name(struct reading *reading, const char *name)
{
    struct hash hash = hash_start();
    bool added = false;
    hash_add_text(&hash, name);
    index_find_or_add(&reading->names, hash, 0, &added);
    if (!added)
        return bilanx_error_make(BILANX_E_INPUT, "sample: the name '%.60s' is used twice", name);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_word(struct reading *reading, char *word)
{
    char *value = word, *name = strsep(&value, "=");
    if (!value || !escape_decode(name))
        return bilanx_error_make(BILANX_E_INPUT, "sample: '%.60s' is not NAME=VALUE", name);
    BILANX_TRY(check_name(reading, name));
    struct sample *sample = &reading->sample;
    if (strchr(value, ':')) {
        mem_grow(sample->tensors, sample->tensor_count, &reading->tensor_room);
        struct tensor_description *tensor = &sample->tensors[sample->tensor_count++];
        *tensor = (struct tensor_description){.name = mem_text(name)};
        return read_tensor(value, tensor);
    }
    mem_grow(sample->parameters, sample->parameter_count, &reading->parameter_room);
    struct sample_parameter *parameter = &sample->parameters[sample->parameter_count++];
    *parameter = (struct sample_parameter){.name = mem_text(name)};
    return read_parameter(value, parameter);
}

struct bilanx_error sample_read(const char *text, struct sample *out)
{
    if (strnlen(text, LONGEST + 1) > LONGEST)
        return bilanx_error_make(BILANX_E_INPUT, "sample: longer than %d bytes", LONGEST);
    AUTO(reading) struct reading reading = {0};
    AUTO(memory) char *line = mem_text(text);
    for (char *rest = *line ? line : NULL; rest;)
        BILANX_TRY(read_word(&reading, strsep(&rest, " ")));
    *out = reading.sample;
    reading.sample = (struct sample){0};
    return BILANX_SUCCESS;
}

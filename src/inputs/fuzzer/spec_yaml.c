// spec_yaml: reads a specification from YAML.
#include <libgen.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "spec.h"
#include "spec_keys.h"

struct reading {
    struct yaml *yaml;
    struct spec *spec;
};

static struct position position_of(const struct tree_node *node)
{
    return (struct position){node->line, node->column};
}

static struct bilanx_error read_value(const struct reading *reading, const struct tree_node *node,
                                      const char *key, struct value *out)
{
    if (node->kind == YAML_TEXT && value_read(node->text, out))
        return BILANX_SUCCESS;
    if (node->kind != YAML_TEXT || node->nothing)
        return tree_error(reading->yaml, node, "'%s' must be a number, not %s", key,
                          tree_kind_word(node));
    return tree_error(reading->yaml, node,
                      "'%s' must be a number such as 16, 64k, 0.5 or 1e6, not '%.40s'", key,
                      node->text);
}

static struct bilanx_error read_pair(const struct reading *reading, const struct tree_node *node,
                                     const char *key, struct value out[2])
{
    if (node->kind != YAML_LIST || node->count != 2)
        return tree_error(reading->yaml, node, "'%s' must be two numbers, such as [16, 1024]", key);
    BILANX_TRY(read_value(reading, &node->items[0], key, &out[0]));
    return read_value(reading, &node->items[1], key, &out[1]);
}

// 1e6 is accepted as a bound like 1000000 where only integers are drawn.
static struct value as_integer(struct value value)
{
    bool integral =
        value.is_real && floor(value.number) == value.number && fabs(value.number) < 0x1p53;
    return integral ? value_integer((int64_t)value.number) : value;
}

static struct bilanx_error read_bounds(const struct reading *reading, const struct tree_node *node,
                                       struct spec_parameter *parameter)
{
    struct value bounds[2];
    bool logarithmic = parameter->distribution == SPEC_LOGUNIFORM;
    BILANX_TRY(read_pair(reading, node, logarithmic ? "loguniform" : "uniform", bounds));
    parameter->min = logarithmic ? as_integer(bounds[0]) : bounds[0];
    parameter->max = logarithmic ? as_integer(bounds[1]) : bounds[1];
    parameter->bounds_at = position_of(node);
    return BILANX_SUCCESS;
}

// A choice is a number, or the name of the parameter that it takes its value from.
static struct bilanx_error read_choice(const struct reading *reading, const struct tree_node *node,
                                       struct spec_choice *out)
{
    if (node->kind != YAML_TEXT || node->nothing)
        return tree_error(reading->yaml, node, "a choice must be a number or a parameter, not %s",
                          tree_kind_word(node));
    if (!value_read(node->text, &out->value))
        out->alias = spec_text(reading->spec, node->text);
    out->at = position_of(node);
    return BILANX_SUCCESS;
}

// A mapping of values to probabilities, or a list of values that are equally likely.
static struct bilanx_error read_choices(const struct reading *reading, const struct tree_node *node,
                                        struct spec_parameter *parameter)
{
    if (node->kind == YAML_TEXT)
        return tree_error(reading->yaml, node,
                          "'choices' must be values and their probabilities, such as {1: 0.8, 2: "
                          "0.2}, or a list of values");
    parameter->bounds_at = position_of(node);
    parameter->choices = mem_array(struct spec_choice, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct spec_choice *choice = &parameter->choices[i];
        struct value probability = value_real(1.0 / (double)node->count);
        bool is_list = node->kind == YAML_LIST;
        BILANX_TRY(read_choice(reading, is_list ? &node->items[i] : &node->pairs[i].key, choice));
        if (!is_list)
            BILANX_TRY(read_value(reading, &node->pairs[i].value, "a probability", &probability));
        choice->probability = probability.number;
        parameter->choice_count++;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_parameter(const struct reading *reading,
                                          const struct tree_pair *pair)
{
    struct spec_parameter *parameter = spec_add_parameter(reading->spec, pair->key.text);
    parameter->at = parameter->bounds_at = position_of(&pair->key);
    struct value constant;
    if (pair->value.kind == YAML_TEXT && value_read(pair->value.text, &constant)) {
        parameter->distribution = SPEC_CONSTANT;
        parameter->min = parameter->max = constant;
        return BILANX_SUCCESS;
    }
    struct parameter_file read = {0};
    BILANX_TRY(tree_read(reading->yaml, &pair->value, spec_parameter_keys, "a parameter", &read));
    const struct tree_node *const ways[] = {
        [SPEC_UNIFORM] = read.uniform,
        [SPEC_LOGUNIFORM] = read.loguniform,
        [SPEC_CHOICES] = read.choices,
    };
    size_t given = 0;
    for (enum spec_distribution i = SPEC_UNIFORM; i <= SPEC_CHOICES; i++) {
        given += ways[i] != NULL;
        if (ways[i])
            parameter->distribution = i;
    }
    if (given != 1)
        return tree_error(reading->yaml, &pair->key,
                          "parameter '%.60s' needs exactly one of 'uniform', 'loguniform' and "
                          "'choices'",
                          pair->key.text);
    parameter->strict = read.strict;
    const struct tree_node *way = ways[parameter->distribution];
    return read.choices ? read_choices(reading, way, parameter)
                        : read_bounds(reading, way, parameter);
}

static struct bilanx_error read_term(const struct reading *reading, const struct tree_node *node,
                                     const char *key, struct spec_term *out)
{
    if (!node)
        return BILANX_SUCCESS;
    if (node->kind != YAML_TEXT || node->nothing)
        return tree_error(reading->yaml, node, "'%s' must be a parameter or a number, not %s", key,
                          tree_kind_word(node));
    *out =
        (struct spec_term){.text = spec_text(reading->spec, node->text), .at = position_of(node)};
    return BILANX_SUCCESS;
}

static struct bilanx_error read_terms(const struct reading *reading, const struct tree_node *node,
                                      const char *key, struct spec_terms *out)
{
    if (!node)
        return BILANX_SUCCESS;
    size_t count = node->kind == YAML_LIST ? node->count : 1;
    const struct tree_node *items = node->kind == YAML_LIST ? node->items : node;
    if (count > TENSOR_DIMENSIONS)
        return tree_error(reading->yaml, node,
                          "'%s' has %zu items; a tensor has up to %d dimensions", key, count,
                          TENSOR_DIMENSIONS);
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(read_term(reading, &items[i], key, &out->items[i]));
    out->count = (int)count;
    out->given = true;
    out->at = position_of(node);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_limit(const struct reading *reading, const struct tree_node *node,
                                      enum spec_limit limit, struct spec_tensor *tensor)
{
    if (!node)
        return BILANX_SUCCESS;
    struct value value;
    BILANX_TRY(read_value(reading, node, spec_limit_words[limit], &value));
    value = as_integer(value);
    if (value.is_real || value.integer < 1)
        return tree_error(reading->yaml, node, "'%s' must be a whole number of at least 1, not %s",
                          spec_limit_words[limit], node->text);
    tensor->limits[limit] = (uint64_t)value.integer;
    tensor->limits_at[limit] = position_of(node);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_share(const struct reading *reading, const struct tree_node *node,
                                      const char *key, double *out, struct position *at)
{
    if (!node)
        return BILANX_SUCCESS;
    struct value value;
    BILANX_TRY(read_value(reading, node, key, &value));
    *out = value.number;
    *at = position_of(node);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_sparse(const struct reading *reading, const struct tree_node *node,
                                       struct spec_tensor *tensor)
{
    if (!node)
        return BILANX_SUCCESS;
    struct sparse_file read = {0};
    BILANX_TRY(tree_read(reading->yaml, node, spec_sparse_keys, "'sparse'", &read));
    tensor->is_sparse = true;
    tensor->sparse_at = position_of(node);
    BILANX_TRY(read_term(reading, read.sparse_dim, "sparse_dim", &tensor->sparse_dim));
    BILANX_TRY(read_term(reading, read.density, "density", &tensor->density));
    BILANX_TRY(read_term(reading, read.nnz, "nnz", &tensor->nonzeros));
    return read_term(reading, read.coalesced, "coalesced", &tensor->coalesced);
}

static struct bilanx_error read_fill(const struct reading *reading, const struct tree_node *node,
                                     struct spec_tensor *tensor)
{
    if (!node)
        return BILANX_SUCCESS;
    tensor->fill_given = true;
    tensor->fill_at = position_of(node);
    if (node->kind == YAML_TEXT && strcmp(node->text, "permutation") == 0) {
        tensor->fill = TENSOR_PERMUTATION;
        return BILANX_SUCCESS;
    }
    struct fill_file read = {0};
    if (node->kind == YAML_MAP)
        BILANX_TRY(tree_read(reading->yaml, node, spec_fill_keys, "'fill'", &read));
    if (!!read.uniform + !!read.normal + !!read.indices != 1)
        return tree_error(reading->yaml, node,
                          "'fill' must be {uniform: [0, 1]}, {normal: [0, 1]}, {indices: x.0} or "
                          "permutation");
    if (read.indices) {
        struct spec_term term = {0};
        tensor->fill = TENSOR_INDICES;
        BILANX_TRY(read_term(reading, read.indices, "indices", &term));
        tensor->indices_of = term.text;
        tensor->fill_at = term.at;
        return BILANX_SUCCESS;
    }
    struct value values[2];
    tensor->fill = read.normal ? TENSOR_NORMAL : TENSOR_UNIFORM;
    BILANX_TRY(read_pair(reading, read.normal ? read.normal : read.uniform,
                         read.normal ? "normal" : "uniform", values));
    tensor->low = values[0].number;
    tensor->high = values[1].number;
    return BILANX_SUCCESS;
}

static struct bilanx_error read_tensor(const struct reading *reading, const struct tree_pair *pair)
{
    struct spec_tensor *tensor = spec_add_tensor(reading->spec, pair->key.text);
    tensor->at = position_of(&pair->key);
    struct tensor_file read = {0};
    BILANX_TRY(tree_read(reading->yaml, &pair->value, spec_tensor_keys, "a tensor", &read));
    tensor->may_be_empty = read.empty;
    BILANX_TRY(read_terms(reading, read.size, "size", &tensor->size));
    BILANX_TRY(read_terms(reading, read.steps, "steps", &tensor->steps));
    BILANX_TRY(read_terms(reading, read.torch_steps, "torch_steps", &tensor->torch_steps));
    BILANX_TRY(read_share(reading, read.probability_contiguous, "probability_contiguous",
                          &tensor->probability_contiguous, &tensor->probability_at));
    BILANX_TRY(read_limit(reading, read.min_elements, SPEC_MIN_ELEMENTS, tensor));
    BILANX_TRY(read_limit(reading, read.max_elements, SPEC_MAX_ELEMENTS, tensor));
    BILANX_TRY(read_limit(reading, read.max_bytes, SPEC_MAX_BYTES, tensor));
    BILANX_TRY(read_term(reading, read.dim, "dim", &tensor->dim));
    BILANX_TRY(read_term(reading, read.roll, "roll", &tensor->roll));
    BILANX_TRY(read_sparse(reading, read.sparse, tensor));
    BILANX_TRY(read_fill(reading, read.fill, tensor));
    BILANX_TRY(read_share(reading, read.nan, "nan", &tensor->nan_share, &tensor->share_at));
    BILANX_TRY(read_share(reading, read.inf, "inf", &tensor->inf_share, &tensor->share_at));
    if (!read.dtype)
        return BILANX_SUCCESS;
    const char *dtype;
    BILANX_TRY(tree_read_text(reading->yaml, read.dtype, "dtype", &dtype));
    tensor->dtype_name = spec_text(reading->spec, dtype);
    tensor->dtype_at = position_of(read.dtype);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_each(const struct reading *reading, const struct tree_node *map,
                                     const char *key,
                                     struct bilanx_error (*read)(const struct reading *,
                                                                 const struct tree_pair *))
{
    if (!map || map->nothing)
        return BILANX_SUCCESS;
    if (map->kind != YAML_MAP)
        return tree_error(reading->yaml, map, "'%s' must be a mapping with a name for each, not %s",
                          key, tree_kind_word(map));
    for (size_t i = 0; i < map->count; i++)
        BILANX_TRY(read(reading, &map->pairs[i]));
    return BILANX_SUCCESS;
}

static struct bilanx_error read_constraints(const struct reading *reading,
                                            const struct tree_node *node)
{
    if (!node || node->nothing)
        return BILANX_SUCCESS;
    size_t count = node->kind == YAML_LIST ? node->count : 1;
    const struct tree_node *items = node->kind == YAML_LIST ? node->items : node;
    for (size_t i = 0; i < count; i++) {
        const char *text;
        BILANX_TRY(tree_read_text(reading->yaml, &items[i], "constraints", &text));
        struct spec_constraint *constraint = spec_add_constraint(reading->spec);
        constraint->text = spec_text(reading->spec, text);
        constraint->source = text;
        constraint->at = position_of(&items[i]);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_seed(const struct reading *reading, const struct tree_node *node)
{
    if (!node)
        return BILANX_SUCCESS;
    struct value seed;
    BILANX_TRY(read_value(reading, node, "seed", &seed));
    if (seed.is_real || seed.integer < 0)
        return tree_error(reading->yaml, node,
                          "'seed' must be a whole number from 0 to 4294967295");
    reading->spec->seed = (uint64_t)seed.integer;
    reading->spec->seed_at = position_of(node);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_compat(const struct reading *reading, const char *word)
{
    if (!word || strcmp(word, "torch") == 0)
        return BILANX_SUCCESS;
    if (strcmp(word, "none") != 0)
        return tree_error(reading->yaml, tree_get(&reading->yaml->root, "compat"),
                          "'compat' must be torch or none, not '%.40s'", word);
    reading->spec->compat = FUZZER_FIXED;
    return BILANX_SUCCESS;
}

// unary.yaml is called unary.
static const char *name_of_file(struct spec *spec, const char *path)
{
    AUTO(memory) char *copy = mem_text(path);
    char *name = basename(copy), *dot = strrchr(name, '.');
    if (dot && dot > name)
        *dot = '\0';
    return spec_text(spec, name);
}

static struct bilanx_error read_tree(struct yaml *yaml, struct spec *out)
{
    AUTO(spec) struct spec spec = {0};
    const struct reading reading = {yaml, &spec};
    spec.file = spec_text(&spec, yaml->name);
    spec.yaml = yaml;
    struct spec_file read = {0};
    BILANX_TRY(tree_read(yaml, &yaml->root, spec_file_keys, "a specification", &read));
    spec.name = read.name ? spec_text(&spec, read.name) : name_of_file(&spec, yaml->name);
    BILANX_TRY(read_compat(&reading, read.compat));
    BILANX_TRY(read_seed(&reading, read.seed));
    BILANX_TRY(read_each(&reading, read.parameters, "parameters", read_parameter));
    BILANX_TRY(read_each(&reading, read.tensors, "tensors", read_tensor));
    BILANX_TRY(read_constraints(&reading, read.constraints));
    BILANX_TRY(spec_check(&spec));
    spec.yaml = NULL;
    *out = spec;
    spec = (struct spec){0};
    return BILANX_SUCCESS;
}

struct bilanx_error spec_read(const char *path, struct spec *out)
{
    AUTO(yaml) struct yaml yaml = {0};
    BILANX_TRY(tree_load_file(path, &yaml));
    return read_tree(&yaml, out);
}

struct bilanx_error spec_read_text(const char *text, size_t size, const char *name,
                                   struct spec *out)
{
    AUTO(yaml) struct yaml yaml = {0};
    BILANX_TRY(tree_load_text(text, size, name, &yaml));
    return read_tree(&yaml, out);
}

// check_tensors: resolves the sizes, steps and other terms of tensors, and checks the values they
// allow.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spec.h"

// A term is the name of a parameter or a number.
static struct bilanx_error resolve(const struct spec *spec, struct spec_term *term)
{
    term->parameter = SPEC_NONE;
    if (!term->text || value_read(term->text, &term->literal))
        return BILANX_SUCCESS;
    term->parameter = spec_find_parameter(spec, term->text);
    if (term->parameter == SPEC_NONE)
        return spec_no_parameter(spec, term->at, term->text);
    return BILANX_SUCCESS;
}

static struct spec_range range_of(const struct spec *spec, const struct spec_term *term)
{
    if (term->parameter != SPEC_NONE)
        return spec->parameters[term->parameter].range;
    return (struct spec_range){term->literal.number, term->literal.number, term->literal.is_real};
}

// Every value must be an integer in [low, high]. Constraints may exclude other values, which is
// only known when they are drawn, so sizes are checked again then.
static struct bilanx_error check_range(const struct spec *spec, const struct spec_tensor *tensor,
                                       const struct spec_term *term, const char *what, double low,
                                       double high)
{
    struct spec_range range = range_of(spec, term);
    if (range.is_real)
        return spec_error(spec, term->at,
                          "the %s '%s' of tensor '%s' can be real: draw it from integers", what,
                          term->text, tensor->name);
    if (spec->constraint_count && term->parameter != SPEC_NONE)
        return BILANX_SUCCESS;
    double wrong = range.low < low ? range.low : range.high > high ? range.high : NAN;
    if (isnan(wrong))
        return BILANX_SUCCESS;
    AUTO(text) struct text is = {0};
    if (term->parameter != SPEC_NONE)
        text_format(&is, "'%s' of tensor '%s' can be %g", term->text, tensor->name, wrong);
    else
        text_format(&is, "'%s' of tensor '%s' is not possible", term->text, tensor->name);
    if (wrong == 0 && high == (double)INT64_MAX && strcmp(what, "size") == 0)
        text_add(&is, ", which leaves no elements: start at 1, or allow it with 'empty: true'");
    else if (high == (double)INT64_MAX)
        text_format(&is, ": it must be at least %g", low);
    else
        text_format(&is, ": it must be from %g to %g", low, high);
    return spec_error(spec, term->at, "the %s %s", what, text_get(&is));
}

static struct bilanx_error check_terms(const struct spec *spec, const struct spec_tensor *tensor,
                                       struct spec_terms *terms, const char *what, double low)
{
    for (int i = 0; i < terms->count; i++) {
        BILANX_TRY(resolve(spec, &terms->items[i]));
        BILANX_TRY(check_range(spec, tensor, &terms->items[i], what, low, (double)INT64_MAX));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error check_shape(const struct spec *spec, struct spec_tensor *tensor)
{
    struct spec_terms *const steps[] = {&tensor->steps, &tensor->torch_steps};
    if (!tensor->size.given)
        return spec_error(spec, tensor->at, "tensor '%s' needs 'size', such as [k0, k1]",
                          tensor->name);
    if (tensor->size.count == 0 && !tensor->dim.text)
        return spec_error(spec, tensor->size.at,
                          "tensor '%s' has no dimensions: write 'size: [1]' for a single element",
                          tensor->name);
    BILANX_TRY(check_terms(spec, tensor, &tensor->size, "size", !tensor->may_be_empty));
    for (size_t i = 0; i < 2; i++) {
        if (steps[i]->count > tensor->size.count)
            return spec_error(spec, steps[i]->at,
                              "tensor '%s' has %d steps but only %d sizes: each step is of a size",
                              tensor->name, steps[i]->count, tensor->size.count);
        BILANX_TRY(check_terms(spec, tensor, steps[i], "step", 1));
    }
    BILANX_TRY(resolve(spec, &tensor->dim));
    BILANX_TRY(resolve(spec, &tensor->roll));
    if (tensor->dim.text)
        BILANX_TRY(check_range(spec, tensor, &tensor->dim, "dim", 1, TENSOR_DIMENSIONS));
    if (tensor->roll.text)
        BILANX_TRY(check_range(spec, tensor, &tensor->roll, "roll", -(double)INT64_MAX,
                               (double)INT64_MAX));
    return BILANX_SUCCESS;
}

static struct bilanx_error check_limits(const struct spec *spec, const struct spec_tensor *tensor)
{
    double probability = tensor->probability_contiguous;
    if (!(probability >= 0 && probability <= 1))
        return spec_error(spec, tensor->probability_at,
                          "'probability_contiguous' of tensor '%s' is %g, not between 0 and 1",
                          tensor->name, probability);
    uint64_t least = tensor->limits[SPEC_MIN_ELEMENTS], most = tensor->limits[SPEC_MAX_ELEMENTS];
    if (most && least > most)
        return spec_error(spec, tensor->limits_at[SPEC_MIN_ELEMENTS],
                          "tensor '%s' needs at least %llu and at most %llu elements: swap "
                          "'min_elements' and 'max_elements'",
                          tensor->name, (unsigned long long)least, (unsigned long long)most);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_dtype(const struct spec *spec, struct spec_tensor *tensor)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    tensor->dtype = dtype_find(tensor->dtype_name);
    if (tensor->dtype)
        return BILANX_SUCCESS;
    for (; dtypes[count].name && count < MOST; count++)
        names[count] = dtypes[count].name;
    const char *nearest = text_nearest(tensor->dtype_name, names, count);
    if (nearest)
        return spec_error(spec, tensor->dtype_at, "unknown dtype '%.40s' (did you mean '%s'?)",
                          tensor->dtype_name, nearest);
    return spec_error(spec, tensor->dtype_at, "unknown dtype '%.40s' (use one of %s)",
                      tensor->dtype_name, dtype_names());
}

static struct bilanx_error check_sparse(const struct spec *spec, struct spec_tensor *tensor)
{
    struct spec_term *const terms[] = {&tensor->sparse_dim, &tensor->density, &tensor->nonzeros,
                                       &tensor->coalesced};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        BILANX_TRY(resolve(spec, terms[i]));
    if (!tensor->is_sparse)
        return BILANX_SUCCESS;
    if (!tensor->density.text == !tensor->nonzeros.text)
        return spec_error(spec, tensor->sparse_at,
                          "sparse tensor '%s' needs either 'density' or 'nnz'", tensor->name);
    if (tensor->steps.count || tensor->roll.text)
        return spec_error(spec, tensor->sparse_at,
                          "tensor '%s' is sparse, so it cannot have 'steps' or 'roll'",
                          tensor->name);
    if (tensor->fill == TENSOR_PERMUTATION)
        return spec_error(spec, tensor->fill_at,
                          "tensor '%s' is sparse, so it cannot be filled with 'permutation'",
                          tensor->name);
    if (tensor->sparse_dim.text)
        BILANX_TRY(check_range(spec, tensor, &tensor->sparse_dim, "sparse_dim", 1, 1e9));
    if (tensor->nonzeros.text)
        BILANX_TRY(check_range(spec, tensor, &tensor->nonzeros, "nnz", 0, (double)INT64_MAX));
    if (!tensor->density.text)
        return BILANX_SUCCESS;
    struct spec_range range = range_of(spec, &tensor->density);
    if (range.low < 0 || range.high > 1)
        return spec_error(spec, tensor->density.at,
                          "the density '%s' of tensor '%s' can be %g: it must be from 0 to 1",
                          tensor->density.text, tensor->name,
                          range.low < 0 ? range.low : range.high);
    return BILANX_SUCCESS;
}

// "x.0" is a dimension of another tensor, anything else a parameter or a number.
static struct bilanx_error resolve_indices(const struct spec *spec, struct spec_tensor *tensor)
{
    const char *dot = strrchr(tensor->indices_of, '.');
    if (!dot) {
        tensor->indices_bound = (struct spec_term){tensor->indices_of, tensor->fill_at, 0, {0}};
        BILANX_TRY(resolve(spec, &tensor->indices_bound));
        return check_range(spec, tensor, &tensor->indices_bound, "bound of the indices", 1,
                           (double)INT64_MAX);
    }
    char *end;
    long dimension = strtol(dot + 1, &end, 10);
    for (size_t i = 0; i < spec->tensor_count; i++) {
        const char *name = spec->tensors[i].name;
        if (strlen(name) == (size_t)(dot - tensor->indices_of) &&
            text_starts(tensor->indices_of, name))
            tensor->indices_tensor = i;
    }
    if (tensor->indices_tensor == SPEC_NONE)
        return spec_error(spec, tensor->fill_at,
                          "there is no tensor '%.*s' that '%s' could index (write 'indices: x.0' "
                          "for dimension 0 of tensor 'x')",
                          (int)(dot - tensor->indices_of), tensor->indices_of, tensor->name);
    if (!dot[1] || *end || dimension < 0 || dimension >= TENSOR_DIMENSIONS)
        return spec_error(spec, tensor->fill_at, "'%.60s' is not a dimension: write x.0, x.1, ...",
                          tensor->indices_of);
    tensor->indices_dimension = (int)dimension;
    return BILANX_SUCCESS;
}

// The values that torch gives a tensor: rand() for reals, randint(1, 127) for integers.
static void choose_values(struct spec_tensor *tensor)
{
    bool is_integer = tensor->dtype->kind == DTYPE_INTEGER;
    tensor->low = is_integer && !tensor->dtype->is_bool;
    tensor->high = is_integer && !tensor->dtype->is_bool ? 126 : 1;
}

static struct bilanx_error check_values(const struct spec *spec, const struct spec_tensor *tensor)
{
    bool is_uniform = tensor->fill == TENSOR_UNIFORM;
    const char *name = tensor->dtype->name;
    if (!isfinite(tensor->low) || !isfinite(tensor->high) ||
        !(is_uniform ? tensor->low <= tensor->high : tensor->high >= 0))
        return spec_error(spec, tensor->fill_at, "tensor '%s' cannot be filled with [%g, %g]: %s",
                          tensor->name, tensor->low, tensor->high,
                          is_uniform ? "write the lower bound first"
                                     : "a standard deviation is not negative");
    bool fits = tensor->low >= tensor->dtype->smallest && tensor->high <= tensor->dtype->largest;
    if (is_uniform && (!fits || (tensor->dtype->is_bool && (tensor->low < 0 || tensor->high > 1))))
        return spec_error(spec, tensor->fill_at,
                          "the values [%g, %g] of tensor '%s' do not fit in %s", tensor->low,
                          tensor->high, tensor->name, name);
    bool integral = floor(tensor->low) == tensor->low && floor(tensor->high) == tensor->high;
    if (is_uniform && tensor->dtype->kind == DTYPE_INTEGER && !integral)
        return spec_error(
            spec, tensor->fill_at,
            "the values [%g, %g] of tensor '%s' are not integers, but its dtype is %s", tensor->low,
            tensor->high, tensor->name, name);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_fill(const struct spec *spec, struct spec_tensor *tensor)
{
    static const char *const fills[] = {"uniform", "normal", "permutation", "indices"};
    bool is_integer = tensor->dtype->kind == DTYPE_INTEGER && !tensor->dtype->is_bool;
    bool needs_integer = tensor->fill == TENSOR_PERMUTATION || tensor->fill == TENSOR_INDICES;
    if (!tensor->fill_given)
        choose_values(tensor);
    if (needs_integer && !is_integer)
        return spec_error(spec, tensor->fill_at,
                          "tensor '%s' of dtype %s cannot be filled with '%s': use dtype i64",
                          tensor->name, tensor->dtype->name, fills[tensor->fill]);
    if (tensor->fill == TENSOR_NORMAL && tensor->dtype->kind != DTYPE_REAL)
        return spec_error(spec, tensor->fill_at,
                          "tensor '%s' of dtype %s cannot be filled with 'normal': use 'uniform', "
                          "or dtype f32",
                          tensor->name, tensor->dtype->name);
    double nan = tensor->nan_share, inf = tensor->inf_share;
    if (!(nan >= 0) || !(inf >= 0) || !(nan + inf <= 1))
        return spec_error(spec, tensor->share_at,
                          "'nan' and 'inf' of tensor '%s' are shares of its elements: from 0 to 1, "
                          "together at most 1",
                          tensor->name);
    if ((nan > 0 || inf > 0) && tensor->dtype->kind != DTYPE_REAL)
        return spec_error(spec, tensor->share_at,
                          "tensor '%s' of dtype %s cannot have NaN or infinity: use a dtype such "
                          "as f32",
                          tensor->name, tensor->dtype->name);
    return tensor->fill == TENSOR_INDICES ? resolve_indices(spec, tensor)
                                          : check_values(spec, tensor);
}

struct bilanx_error spec_check_tensors(struct spec *spec)
{
    for (size_t i = 0; i < spec->tensor_count; i++) {
        struct spec_tensor *tensor = &spec->tensors[i];
        BILANX_TRY(check_dtype(spec, tensor));
        BILANX_TRY(check_shape(spec, tensor));
        BILANX_TRY(check_limits(spec, tensor));
        BILANX_TRY(check_sparse(spec, tensor));
        BILANX_TRY(check_fill(spec, tensor));
    }
    return BILANX_SUCCESS;
}

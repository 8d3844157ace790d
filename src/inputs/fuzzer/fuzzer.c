// fuzzer: draws samples from a specification.
#include "fuzzer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "draw.h"
#include "layout.h"
#include "opened.h"

enum { ATTEMPTS = 1000 };

struct fuzzer {
    struct spec spec;
    struct mersenne random;
    uint64_t data_seed;
    bool started;  // `random` is right before sample `next`
    size_t next;
    uint64_t attempts, rejections, rejected;
    struct drawn *drawn;     // of the sample that was drawn last, or its last attempt
    struct value *values;    // the same, resolved
    struct layout *layouts;  // of its tensors
    uint64_t *constraints;   // attempts that each rejected, for the current sample
    uint64_t (*limits)[SPEC_LIMITS];
};

void fuzzer_free(struct fuzzer *fuzzer)
{
    if (!fuzzer)
        return;
    free(fuzzer->drawn);
    free(fuzzer->values);
    free(fuzzer->layouts);
    free(fuzzer->constraints);
    free(fuzzer->limits);
    spec_done(&fuzzer->spec);
    free(fuzzer);
}

struct fuzzer *fuzzer_of(struct spec *spec)
{
    struct fuzzer *fuzzer = mem_new(struct fuzzer);
    fuzzer->spec = *spec;
    *spec = (struct spec){0};
    fuzzer->drawn = mem_array(struct drawn, fuzzer->spec.parameter_count + 1);
    fuzzer->values = mem_array(struct value, fuzzer->spec.parameter_count + 1);
    fuzzer->layouts = mem_array(struct layout, fuzzer->spec.tensor_count + 1);
    fuzzer->constraints = mem_array(uint64_t, fuzzer->spec.constraint_count + 1);
    fuzzer->limits = mem_zeroed(fuzzer->spec.tensor_count + 1, sizeof *fuzzer->limits);
    return fuzzer;
}

const struct spec *fuzzer_spec(const struct fuzzer *fuzzer)
{
    return &fuzzer->spec;
}

struct bilanx_error fuzzer_read_text(const char *text, size_t size, const char *name,
                                     struct fuzzer **out)
{
    AUTO(spec) struct spec spec = {0};
    BILANX_TRY(spec_read_text(text, size, name, &spec));
    *out = fuzzer_of(&spec);
    return BILANX_SUCCESS;
}

struct bilanx_error fuzzer_set_seed(struct fuzzer *fuzzer, uint64_t seed)
{
    if (seed > UINT32_MAX)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "the seed %" PRIu64 " is too large: it must be below 2^32", seed);
    fuzzer->spec.seed = seed;
    fuzzer->started = false;
    return BILANX_SUCCESS;
}

void fuzzer_set_compat(struct fuzzer *fuzzer, enum fuzzer_compat compat)
{
    fuzzer->spec.compat = compat;
    fuzzer->started = false;
}

struct bilanx_error fuzzer_set_dtype(struct fuzzer *fuzzer, const char *dtype)
{
    fuzzer->started = false;
    for (size_t i = 0; i < fuzzer->spec.tensor_count; i++) {
        struct spec_tensor *tensor = &fuzzer->spec.tensors[i];
        tensor->dtype_name = spec_text(&fuzzer->spec, dtype);
        tensor->dtype_at = tensor->at;
    }
    return spec_check_tensors(&fuzzer->spec);  // their contents must fit
}

static void start(struct fuzzer *fuzzer)
{
    mersenne_init(&fuzzer->random, (uint32_t)fuzzer->spec.seed);
    fuzzer->data_seed = (uint64_t)mersenne_between(&fuzzer->random, 0, INT64_MAX);
    fuzzer->next = 0;
    fuzzer->attempts = fuzzer->rejections = fuzzer->rejected = 0;
    fuzzer->started = true;
}

static struct bilanx_error constraint_holds(const struct fuzzer *fuzzer,
                                            const struct spec_constraint *constraint, bool *out)
{
    struct value result;
    if (!constraint->text) {
        *out = constraint->holds(constraint->context, fuzzer->values);
        return BILANX_SUCCESS;
    }
    struct bilanx_error error =
        expression_evaluate(&constraint->expression, fuzzer->values, &result);
    if (error.status != BILANX_OK)
        return spec_error(&fuzzer->spec, constraint->at, "constraint '%.80s': %s", constraint->text,
                          error.text);
    *out = value_is_true(result);
    return BILANX_SUCCESS;
}

// Whether the last attempt satisfies everything. Counts the first condition that rejects it.
static struct bilanx_error judge(struct fuzzer *fuzzer, bool *accepted)
{
    const struct spec *spec = &fuzzer->spec;
    *accepted = false;
    for (size_t i = 0; i < spec->constraint_count; i++) {
        bool holds = false;
        BILANX_TRY(constraint_holds(fuzzer, &spec->constraints[i], &holds));
        if (!holds) {
            fuzzer->constraints[i]++;
            return BILANX_SUCCESS;
        }
    }
    for (size_t i = 0; i < spec->tensor_count; i++) {
        const struct spec_tensor *tensor = &spec->tensors[i];
        BILANX_TRY(layout_measure(spec, tensor, fuzzer->values, &fuzzer->layouts[i]));
        enum spec_limit exceeded = layout_exceeds(spec, tensor, &fuzzer->layouts[i]);
        if (exceeded != SPEC_LIMITS) {
            fuzzer->limits[i][exceeded]++;
            return BILANX_SUCCESS;
        }
    }
    *accepted = true;
    return BILANX_SUCCESS;
}

static struct bilanx_error blame_constraint(const struct fuzzer *fuzzer, size_t i)
{
    const struct spec_constraint *constraint = &fuzzer->spec.constraints[i];
    if (!constraint->text)
        return spec_error(&fuzzer->spec, constraint->at,
                          "sample %zu: no valid values in %d attempts: constraint %zu rejected "
                          "%" PRIu64 " of them (loosen it, or change what it depends on)",
                          fuzzer->next, ATTEMPTS, i, fuzzer->constraints[i]);
    return spec_error(
        &fuzzer->spec, constraint->at,
        "sample %zu: no valid values in %d attempts: the constraint '%.120s' rejected "
        "%" PRIu64 " of them (loosen it, or change what it depends on)",
        fuzzer->next, ATTEMPTS, constraint->text, fuzzer->constraints[i]);
}

static struct bilanx_error blame_limit(const struct fuzzer *fuzzer, size_t i, enum spec_limit limit)
{
    const struct spec_tensor *tensor = &fuzzer->spec.tensors[i];
    return spec_error(
        &fuzzer->spec, tensor->limits_at[limit],
        "sample %zu: no valid values in %d attempts: '%s: %" PRIu64 "' of tensor '%s' "
        "rejected %" PRIu64 " of them (%s it, or change the bounds of its sizes)",
        fuzzer->next, ATTEMPTS, spec_limit_words[limit], tensor->limits[limit], tensor->name,
        fuzzer->limits[i][limit], limit == SPEC_MIN_ELEMENTS ? "lower" : "raise");
}

// Names the condition that rejected most attempts.
static struct bilanx_error exhausted(const struct fuzzer *fuzzer)
{
    uint64_t most = 0;
    size_t culprit = 0;
    enum spec_limit limit = SPEC_LIMITS;  // that: a constraint
    for (size_t i = 0; i < fuzzer->spec.constraint_count; i++)
        if (fuzzer->constraints[i] > most) {
            most = fuzzer->constraints[i];
            culprit = i;
        }
    for (size_t i = 0; i < fuzzer->spec.tensor_count; i++)
        for (enum spec_limit l = 0; l < SPEC_LIMITS; l++)
            if (fuzzer->limits[i][l] > most) {
                most = fuzzer->limits[i][l];
                culprit = i;
                limit = l;
            }
    return limit == SPEC_LIMITS ? blame_constraint(fuzzer, culprit)
                                : blame_limit(fuzzer, culprit, limit);
}

static struct bilanx_error find_values(struct fuzzer *fuzzer)
{
    const struct spec *spec = &fuzzer->spec;
    memset(fuzzer->constraints, 0, spec->constraint_count * sizeof *fuzzer->constraints);
    memset(fuzzer->limits, 0, spec->tensor_count * sizeof *fuzzer->limits);
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        bool accepted;
        draw_parameters(spec, &fuzzer->random, attempt == 0, fuzzer->drawn, fuzzer->values);
        BILANX_TRY(judge(fuzzer, &accepted));
        fuzzer->attempts++;
        if (accepted) {
            fuzzer->rejected = attempt;
            return BILANX_SUCCESS;
        }
        fuzzer->rejections++;
    }
    return exhausted(fuzzer);
}

// Draws sample `next`, without describing it.
static struct bilanx_error advance(struct fuzzer *fuzzer)
{
    fuzzer->started = false;  // in case of an error: the next sample is undefined
    BILANX_TRY(find_values(fuzzer));
    for (size_t i = 0; i < fuzzer->spec.tensor_count; i++)
        layout_draw_order(&fuzzer->spec.tensors[i], &fuzzer->random, &fuzzer->layouts[i]);
    fuzzer->next++;
    fuzzer->started = true;
    return BILANX_SUCCESS;
}

// A bijection, so that different numbers stay different.
static uint64_t scramble(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

static struct bilanx_error set_index_bound(const struct fuzzer *fuzzer, size_t place,
                                           struct tensor_description *description)
{
    const struct spec_tensor *tensor = &fuzzer->spec.tensors[place];
    const struct spec_term *term = &tensor->indices_bound;
    int64_t bound = 1;  // dimensions that the other tensor lacks in this sample have size 1
    if (tensor->indices_tensor == SPEC_NONE)
        bound = term->parameter == SPEC_NONE ? term->literal.integer
                                             : fuzzer->values[term->parameter].integer;
    else if (tensor->indices_dimension < fuzzer->layouts[tensor->indices_tensor].dimensions)
        bound = fuzzer->layouts[tensor->indices_tensor].shape[tensor->indices_dimension];
    if (bound < 1)
        return spec_error(&fuzzer->spec, tensor->fill_at,
                          "tensor '%s' cannot hold indices into '%s', which has size %" PRId64,
                          tensor->name, tensor->indices_of, bound);
    if ((double)(bound - 1) > tensor->dtype->largest)
        return spec_error(&fuzzer->spec, tensor->fill_at,
                          "tensor '%s' needs indices up to %" PRId64
                          ", which dtype %s cannot hold: use i64",
                          tensor->name, bound - 1, tensor->dtype->name);
    description->low = 0;
    description->high = (double)bound;
    return BILANX_SUCCESS;
}

static struct bilanx_error describe(const struct fuzzer *fuzzer, struct sample *out)
{
    const struct spec *spec = &fuzzer->spec;
    AUTO(sample) struct sample sample = {
        .parameters = mem_array(struct sample_parameter, spec->parameter_count + 1),
        .tensors = mem_array(struct tensor_description, spec->tensor_count + 1),
    };
    for (; sample.parameter_count < spec->parameter_count; sample.parameter_count++) {
        const struct value value = fuzzer->values[sample.parameter_count];
        sample.parameters[sample.parameter_count] =
            (struct sample_parameter){mem_text(spec->parameters[sample.parameter_count].name),
                                      value.is_real, value.integer, value.number};
    }
    uint64_t first = (fuzzer->next - 1) * spec->tensor_count;
    for (size_t i = 0; i < spec->tensor_count; i++) {
        struct tensor_description *description = &sample.tensors[i];
        BILANX_TRY(layout_describe(spec, &spec->tensors[i], &fuzzer->layouts[i], description));
        sample.tensor_count++;
        description->seed =
            scramble(scramble(fuzzer->data_seed) + (first + i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        if (description->fill == TENSOR_INDICES)
            BILANX_TRY(set_index_bound(fuzzer, i, description));
    }
    *out = sample;
    sample = (struct sample){0};
    return BILANX_SUCCESS;
}

struct bilanx_error fuzzer_sample(struct fuzzer *fuzzer, size_t index, struct sample *out)
{
    if (!fuzzer->started || index + 1 < fuzzer->next)
        start(fuzzer);
    while (fuzzer->next <= index)
        BILANX_TRY(advance(fuzzer));
    return describe(fuzzer, out);
}

uint64_t fuzzer_rejected(const struct fuzzer *fuzzer)
{
    return fuzzer->rejected;
}

double fuzzer_rejection_rate(const struct fuzzer *fuzzer)
{
    return fuzzer->attempts ? (double)fuzzer->rejections / (double)fuzzer->attempts : 0;
}

const char *fuzzer_name(const struct fuzzer *fuzzer)
{
    return fuzzer->spec.name ? fuzzer->spec.name : "";
}

uint64_t fuzzer_seed(const struct fuzzer *fuzzer)
{
    return fuzzer->spec.seed;
}

size_t fuzzer_parameter_count(const struct fuzzer *fuzzer)
{
    return fuzzer->spec.parameter_count;
}

const char *fuzzer_parameter_name(const struct fuzzer *fuzzer, size_t i)
{
    return fuzzer->spec.parameters[i].name;
}

static bool uses(const struct spec_terms *terms, size_t parameter)
{
    for (int i = 0; i < terms->count; i++)
        if (terms->items[i].parameter == parameter)
            return true;
    return false;
}

static bool is_used_by_a_tensor(const struct spec *spec, size_t parameter)
{
    for (size_t i = 0; i < spec->tensor_count; i++) {
        const struct spec_tensor *tensor = &spec->tensors[i];
        const struct spec_term *const terms[] = {&tensor->dim,       &tensor->roll,
                                                 &tensor->density,   &tensor->nonzeros,
                                                 &tensor->coalesced, &tensor->sparse_dim};
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
            if (terms[k]->text && terms[k]->parameter == parameter)
                return true;
        if (uses(&tensor->size, parameter) || uses(&tensor->steps, parameter))
            return true;
    }
    return false;
}

bool fuzzer_parameter_is_helper(const struct fuzzer *fuzzer, size_t i)
{
    const struct spec *spec = &fuzzer->spec;
    bool is_target = false;
    for (size_t p = 0; p < spec->parameter_count && !is_target; p++)
        for (size_t c = 0; c < spec->parameters[p].choice_count; c++)
            is_target = is_target || spec->parameters[p].choices[c].target == i;
    return is_target && !is_used_by_a_tensor(spec, i);
}

size_t fuzzer_tensor_count(const struct fuzzer *fuzzer)
{
    return fuzzer->spec.tensor_count;
}

const char *fuzzer_tensor_name(const struct fuzzer *fuzzer, size_t i)
{
    return fuzzer->spec.tensors[i].name;
}

struct bilanx_error fuzzer_blame(const struct fuzzer *fuzzer, size_t tensor,
                                 struct bilanx_error error)
{
    if (error.status == BILANX_OK)
        return error;
    const char *cure =
        error.status == BILANX_E_MEMORY ? " (lower its sizes, or set 'max_bytes')" : "";
    struct bilanx_error placed =
        spec_error(&fuzzer->spec, fuzzer->spec.tensors[tensor].at, "%s%s", error.text, cure);
    placed.status = error.status;
    return placed;
}

// spec: a specification: its parts, names and errors.
#include "spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "support/yaml/tree.h"

const char *const spec_limit_words[SPEC_LIMITS] = {"max_elements", "min_elements", "max_bytes"};

void spec_done(struct spec *spec)
{
    for (size_t i = 0; i < spec->parameter_count; i++) {
        free(spec->parameters[i].choices);
        free(spec->parameters[i].cumulative);
    }
    for (size_t i = 0; i < spec->constraint_count; i++)
        expression_done(&spec->constraints[i].expression);
    free(spec->parameters);
    free(spec->tensors);
    free(spec->constraints);
    list_done(&spec->texts);
    *spec = (struct spec){0};
}

const char *spec_text(struct spec *spec, const char *text)
{
    if (!text)
        return NULL;
    list_add(&spec->texts, text);
    return spec->texts.items[spec->texts.count - 1];
}

struct spec_parameter *spec_add_parameter(struct spec *spec, const char *name)
{
    mem_grow(spec->parameters, spec->parameter_count, &spec->parameter_room);
    struct spec_parameter *parameter = &spec->parameters[spec->parameter_count++];
    *parameter = (struct spec_parameter){.name = spec_text(spec, name)};
    return parameter;
}

struct spec_tensor *spec_add_tensor(struct spec *spec, const char *name)
{
    mem_grow(spec->tensors, spec->tensor_count, &spec->tensor_room);
    struct spec_tensor *tensor = &spec->tensors[spec->tensor_count++];
    *tensor = (struct spec_tensor){
        .name = spec_text(spec, name),
        .probability_contiguous = 0.5,
        .dtype_name = "f32",
        .indices_tensor = SPEC_NONE,
    };
    return tensor;
}

struct spec_constraint *spec_add_constraint(struct spec *spec)
{
    mem_grow(spec->constraints, spec->constraint_count, &spec->constraint_room);
    struct spec_constraint *constraint = &spec->constraints[spec->constraint_count++];
    *constraint = (struct spec_constraint){0};
    return constraint;
}

struct bilanx_error spec_error(const struct spec *spec, struct position at, const char *format, ...)
{
    AUTO(text) struct text text = {0};
    if (spec->file && at.line)
        text_format(&text, "%s:%u:%u: ", spec->file, at.line, at.column);
    else if (spec->file)
        text_format(&text, "%s: ", spec->file);
    char cause[sizeof((struct bilanx_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    text_add(&text, cause);
    return bilanx_error_make(BILANX_E_INPUT, "%s", text_get(&text));
}

size_t spec_find_parameter(const struct spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->parameter_count; i++)
        if (strcmp(spec->parameters[i].name, name) == 0)
            return i;
    return SPEC_NONE;
}

size_t spec_find_tensor(const struct spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->tensor_count; i++)
        if (strcmp(spec->tensors[i].name, name) == 0)
            return i;
    return SPEC_NONE;
}

struct bilanx_error spec_no_parameter(const struct spec *spec, struct position at, const char *name)
{
    AUTO(memory) const char **names = mem_array(const char *, spec->parameter_count + 1);
    for (size_t i = 0; i < spec->parameter_count; i++)
        names[i] = spec->parameters[i].name;
    const char *nearest = text_nearest(name, names, spec->parameter_count);
    if (nearest)
        return spec_error(spec, at, "there is no parameter '%.60s' (did you mean '%s'?)", name,
                          nearest);
    return spec_error(spec, at, "there is no parameter '%.60s': add it to 'parameters'", name);
}

// Names are variables of statements, so they must be valid in C and Python.
static struct bilanx_error check_name(const struct spec *spec, const char *name, const char *what,
                                      struct position at)
{
    static const char *const reserved[] = {"and", "or", "not", "true", "false", "True", "False"};
    bool valid = isalpha((unsigned char)*name) || *name == '_';
    for (const char *c = name; *c && valid; c++)
        valid = isalnum((unsigned char)*c) || *c == '_';
    if (!valid || strlen(name) > 63)
        return spec_error(spec, at,
                          "'%.60s' cannot name a %s: use up to 63 letters, digits and _, the "
                          "first no digit",
                          name, what);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return spec_error(spec, at, "'%s' cannot name a %s: it is a word of expressions", name,
                              what);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_counts(const struct spec *spec)
{
    const struct {
        size_t count, most;
        const char *what;
    } parts[] = {
        {spec->parameter_count, SPEC_MOST_PARAMETERS, "parameters"},
        {spec->tensor_count, SPEC_MOST_TENSORS, "tensors"},
        {spec->constraint_count, SPEC_MOST_CONSTRAINTS, "constraints"},
    };
    struct position start = {0};
    if (spec->parameter_count + spec->tensor_count == 0)
        return spec_error(spec, start, "the specification has neither 'parameters' nor 'tensors'");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > parts[i].most)
            return spec_error(spec, start, "there are %zu %s, more than %zu", parts[i].count,
                              parts[i].what, parts[i].most);
    return BILANX_SUCCESS;
}

static struct bilanx_error check_names(const struct spec *spec)
{
    for (size_t i = 0; i < spec->parameter_count; i++) {
        const struct spec_parameter *parameter = &spec->parameters[i];
        BILANX_TRY(check_name(spec, parameter->name, "parameter", parameter->at));
        if (spec_find_parameter(spec, parameter->name) != i)
            return spec_error(spec, parameter->at, "two parameters are called '%s': rename one",
                              parameter->name);
    }
    for (size_t i = 0; i < spec->tensor_count; i++) {
        const struct spec_tensor *tensor = &spec->tensors[i];
        BILANX_TRY(check_name(spec, tensor->name, "tensor", tensor->at));
        if (spec_find_tensor(spec, tensor->name) != i)
            return spec_error(spec, tensor->at, "two tensors are called '%s': rename one",
                              tensor->name);
        if (spec_find_parameter(spec, tensor->name) != SPEC_NONE)
            return spec_error(spec, tensor->at,
                              "'%s' is a parameter and a tensor: rename one of them", tensor->name);
    }
    return BILANX_SUCCESS;
}

static struct position place_in(const struct spec *spec, const struct spec_constraint *constraint,
                                size_t offset)
{
    struct position at = constraint->at;
    bool at_end = offset > 0 && !constraint->text[offset];  // after the last character
    if (spec->yaml &&
        tree_find_place(spec->yaml, constraint->source, offset - at_end, &at.line, &at.column))
        at.column += at_end;
    return at;
}

static struct bilanx_error parse_constraints(struct spec *spec)
{
    AUTO(memory) const char **names = mem_array(const char *, spec->parameter_count + 1);
    for (size_t i = 0; i < spec->parameter_count; i++)
        names[i] = spec->parameters[i].name;
    for (size_t i = 0; i < spec->constraint_count; i++) {
        struct spec_constraint *constraint = &spec->constraints[i];
        size_t fault;
        if (!constraint->text)
            continue;
        struct bilanx_error error = expression_parse(constraint->text, names, spec->parameter_count,
                                                     &constraint->expression, &fault);
        if (error.status == BILANX_OK)
            continue;
        return spec_error(spec, place_in(spec, constraint, fault), "constraint: %s", error.text);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error spec_check(struct spec *spec)
{
    BILANX_TRY(check_counts(spec));
    if (spec->seed > UINT32_MAX)
        return spec_error(spec, spec->seed_at, "a seed must be below 2^32 (4294967296)");
    BILANX_TRY(check_names(spec));
    BILANX_TRY(spec_check_parameters(spec));
    BILANX_TRY(spec_check_tensors(spec));
    return parse_constraints(spec);
}

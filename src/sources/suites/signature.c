// signature: "f(x, w) -> y".
#include "signature.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "code.h"

static void parameter_done(struct parameter *parameter)
{
    free(parameter->name);
    free(parameter->c_type);
    free(parameter->python_type);
    *parameter = (struct parameter){0};
}

void signature_done(struct signature *signature)
{
    for (size_t i = 0; i < signature->count; i++)
        parameter_done(&signature->parameters[i]);
    free(signature->parameters);
    parameter_done(&signature->result);
    free(signature->name);
    *signature = (struct signature){0};
}

static void trim(const char **start, const char **end)
{
    while (*start < *end && (*start)[0] && strchr(" \t\r\n", (*start)[0]))
        ++*start;
    while (*end > *start && strchr(" \t\r\n", (*end)[-1]))
        --*end;
}

static bool is_word(const char *start, const char *end)
{
    if (start == end || !code_starts_word(*start))
        return false;
    while (start < end && code_in_word(*start))
        start++;
    return start == end;
}

static struct bilanx_error wrong(const char *start, const char *end, const char *what)
{
    return bilanx_error_make(BILANX_E_INPUT,
                             "'%.*s' is not %s: a signature looks like 'f(x, w) -> y' or '-> None'",
                             (int)(end - start > 60 ? 60 : end - start), start, what);
}

// "x", "n: int" or "const char *s".
static struct bilanx_error parse_parameter(const char *start, const char *end,
                                           struct parameter *out)
{
    trim(&start, &end);
    const char *colon = memchr(start, ':', (size_t)(end - start));
    const char *name_end = colon ? colon : end;
    trim(&start, &name_end);
    const char *name = name_end;
    while (name > start && code_in_word(name[-1]))
        name--;
    if (!is_word(name, name_end) || (colon && name > start) ||
        memchr(start, '(', (size_t)(end - start)))
        return wrong(start, end, "a parameter or a result");
    const char *type = colon ? colon + 1 : start, *type_end = colon ? end : name;
    trim(&type, &type_end);
    if (colon && type == type_end)
        return wrong(start, end, "a parameter with a type");
    out->name = mem_text_n(name, (size_t)(name_end - name));
    char **typed = colon ? &out->python_type : &out->c_type;
    *typed = type < type_end ? mem_text_n(type, (size_t)(type_end - type)) : NULL;
    return BILANX_SUCCESS;
}

// Finds the comma that ends a parameter, skipping those in brackets: List[int, str], map<a, b>.
static const char *end_of_parameter(const char *at, const char *close)
{
    int depth = 0;
    for (; at < close && (*at != ',' || depth > 0); at++)
        depth += (*at == '[' || *at == '<') - (*at == ']' || *at == '>');
    return at;
}

static struct bilanx_error parse_parameters(const char *at, const char *close,
                                            struct signature *out, const char **fault)
{
    const char *only = at, *only_end = close;
    trim(&only, &only_end);
    while (only < only_end) {
        const char *end = end_of_parameter(at, close);
        mem_grow(out->parameters, out->count, &out->room);
        struct parameter *parameter = &out->parameters[out->count++];
        *parameter = (struct parameter){0};
        *fault = at + strspn(at, " \t");
        BILANX_TRY(parse_parameter(at, end, parameter));
        for (size_t i = 0; i + 1 < out->count; i++)
            if (strcmp(out->parameters[i].name, parameter->name) == 0)
                return bilanx_error_make(BILANX_E_INPUT, "the signature has '%s' twice",
                                         parameter->name);
        if (end == close)
            break;
        at = end + 1;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error parse(const char *text, struct signature *out, const char **fault)
{
    const char *end = text + strlen(text);
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    *fault = text;
    if (!open || !close || close < open)
        return wrong(text, end, "a signature");
    const char *name = text, *name_end = open;
    trim(&name, &name_end);
    if (!is_word(name, name_end))
        return wrong(text, end, "a signature");
    out->name = mem_text_n(name, (size_t)(name_end - name));
    BILANX_TRY(parse_parameters(open + 1, close, out, fault));
    const char *result = close + 1;
    trim(&result, &end);
    *fault = result;
    if (!text_starts(result, "->"))
        return wrong(text, end, "a signature");
    result += 2;
    trim(&result, &end);
    if (end - result == 4 && strncmp(result, "None", 4) == 0)
        return BILANX_SUCCESS;
    *fault = result;
    return parse_parameter(result, end, &out->result);
}

struct bilanx_error signature_parse(const char *text, struct signature *out, size_t *fault)
{
    AUTO(signature) struct signature signature = {0};
    const char *at = text;
    struct bilanx_error error = parse(text, &signature, &at);
    if (error.status != BILANX_OK) {
        *fault = (size_t)(at - text);
        return error;
    }
    *out = signature;
    signature = (struct signature){0};
    return BILANX_SUCCESS;
}

struct bilanx_error signature_fits(const struct signature *signature, const char *code,
                                   const char *comment)
{
    for (size_t i = 0; i < signature->count; i++) {
        const char *name = signature->parameters[i].name;
        if (!code_find_word(code, code, name, strlen(name), comment))
            return bilanx_error_make(BILANX_E_INPUT,
                                     "the signature takes '%s', which the code never uses", name);
    }
    const char *result = signature->result.name;
    if (result && !code_assigns(code, result, comment))
        return bilanx_error_make(
            BILANX_E_INPUT, "the signature returns '%s', which the code never assigns", result);
    return BILANX_SUCCESS;
}

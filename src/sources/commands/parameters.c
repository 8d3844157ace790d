// parameters: values for {name} in commands, and their combinations.
#include "parameters.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"

void parameters_done(struct parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        free(parameters->items[i].name);
        list_done(&parameters->items[i].values);
    }
    free(parameters->items);
    *parameters = (struct parameters){0};
}

static struct bilanx_error add_parameter(struct parameters *parameters, const char *name,
                                         struct parameter **out)
{
    if (!*name || strpbrk(name, "{}"))
        return bilanx_error_make(BILANX_E_USAGE, "'%s' cannot be the name of a parameter", name);
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->items[i].name, name) == 0)
            return bilanx_error_make(BILANX_E_USAGE, "the parameter '%s' is given twice", name);
    mem_grow(parameters->items, parameters->count, &parameters->room);
    struct parameter *parameter = &parameters->items[parameters->count++];
    *parameter = (struct parameter){.name = mem_text(name)};
    *out = parameter;
    return BILANX_SUCCESS;
}

// A decimal as an integer multiple of its last place, so that 0.1 + 0.2 is 0.3.
struct decimal {
    int64_t units;
    unsigned places;
};

static bool read_decimal(const char *text, struct decimal *out)
{
    enum { DIGITS = 15 };
    bool negative = *text == '-', after_point = false;
    unsigned digits = 0;
    struct decimal decimal = {0};
    for (const char *at = text + (negative || *text == '+'); *at; at++) {
        if (*at == '.' && !after_point) {
            after_point = true;
            continue;
        }
        if (*at < '0' || *at > '9' || ++digits > DIGITS)
            return false;
        decimal.units = decimal.units * 10 + (*at - '0');
        decimal.places += after_point;
    }
    decimal.units = negative ? -decimal.units : decimal.units;
    *out = decimal;
    return digits > 0;
}

static bool rescale(struct decimal *decimal, unsigned places)
{
    for (; decimal->places < places; decimal->places++)
        if (__builtin_mul_overflow(decimal->units, 10, &decimal->units))
            return false;
    return true;
}

static char *write_decimal(int64_t units, unsigned places)
{
    uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units, scale = 1;
    for (unsigned i = 0; i < places; i++)
        scale *= 10;
    const char *sign = units < 0 ? "-" : "";
    if (places == 0)
        return mem_format("%s%llu", sign, (unsigned long long)size);
    return mem_format("%s%llu.%0*llu", sign, (unsigned long long)(size / scale), (int)places,
                      (unsigned long long)(size % scale));
}

static struct bilanx_error read_bounds(const char *const texts[3], struct decimal bounds[3])
{
    unsigned places = 0;
    for (int i = 0; i < 3; i++) {
        if (!read_decimal(texts[i], &bounds[i]))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "a parameter scan takes decimal numbers, not '%s'", texts[i]);
        places = bounds[i].places > places ? bounds[i].places : places;
    }
    for (int i = 0; i < 3; i++)
        if (!rescale(&bounds[i], places))
            return bilanx_error_make(BILANX_E_USAGE, "'%s' has too many digits", texts[i]);
    return BILANX_SUCCESS;
}

struct bilanx_error parameters_add_scan(struct parameters *parameters, const char *name,
                                        const char *least, const char *most, const char *step)
{
    struct decimal bounds[3];
    BILANX_TRY(read_bounds((const char *const[]){least, most, step}, bounds));
    int64_t first = bounds[0].units, last = bounds[1].units, by = bounds[2].units;
    if (by <= 0)
        return bilanx_error_make(BILANX_E_USAGE, "the step of '%s' must be above 0, not '%s'", name,
                                 step);
    if (first > last)
        return bilanx_error_make(BILANX_E_USAGE, "the scan of '%s' goes from %s down to %s", name,
                                 least, most);
    uint64_t steps = ((uint64_t)last - (uint64_t)first) / (uint64_t)by;
    if (steps >= PARAMETERS_MOST)
        return bilanx_error_make(BILANX_E_USAGE, "the scan of '%s' has more than %d values", name,
                                 PARAMETERS_MOST);
    struct parameter *parameter;
    BILANX_TRY(add_parameter(parameters, name, &parameter));
    parameter->numbers = true;
    for (uint64_t i = 0; i <= steps; i++)
        list_take(&parameter->values, write_decimal(first + (int64_t)i * by, bounds[0].places));
    return BILANX_SUCCESS;
}

struct bilanx_error parameters_add_list(struct parameters *parameters, const char *name,
                                        const char *values)
{
    struct parameter *parameter;
    BILANX_TRY(add_parameter(parameters, name, &parameter));
    struct text value = {0};
    for (const char *at = values;; at++) {
        if (*at == '\\' && at[1] == ',') {
            text_add_char(&value, *++at);
        } else if (*at && *at != ',') {
            text_add_char(&value, *at);
        } else {
            list_take(&parameter->values, text_take(&value));
            if (!*at)
                break;
        }
    }
    if (parameter->values.count > PARAMETERS_MOST)
        return bilanx_error_make(BILANX_E_USAGE, "the list of '%s' has more than %d values", name,
                                 PARAMETERS_MOST);
    return BILANX_SUCCESS;
}

bool combination_next(struct combination *combination)
{
    for (size_t i = combination->parameters->count; i-- > 0;) {
        if (!combination->used[i])
            continue;
        if (++combination->indices[i] < combination->parameters->items[i].values.count)
            return true;
        combination->indices[i] = 0;
    }
    return false;
}

const char *combination_value(const struct combination *combination, size_t parameter)
{
    return combination->parameters->items[parameter].values.items[combination->indices[parameter]];
}

// Whether "{name}" is at `at`.
static bool stands_at(const struct parameter *parameter, const char *at)
{
    size_t size = strlen(parameter->name);
    return *at == '{' && strncmp(at + 1, parameter->name, size) == 0 && at[1 + size] == '}';
}

bool parameter_occurs(const struct parameter *parameter, const char *text)
{
    for (; text && *text; text++)
        if (stands_at(parameter, text))
            return true;
    return false;
}

char *combination_fill(const struct combination *combination, const char *text)
{
    if (!text)
        return NULL;
    struct text out = {0};
    const struct parameters *parameters = combination->parameters;
    // One pass: a value that looks like {name} is data.
    while (*text) {
        size_t i = 0;
        while (i < parameters->count && !stands_at(&parameters->items[i], text))
            i++;
        if (i == parameters->count) {
            text_add_char(&out, *text++);
            continue;
        }
        text_add(&out, combination_value(combination, i));
        text += strlen(parameters->items[i].name) + 2;
    }
    return text_take(&out);
}

bool parameter_number(const struct parameter *parameter, const char *value, double *out)
{
    char shortest[NUMBER_SIZE];
    double number;
    if (!number_read(value, &number))
        return false;
    if (!parameter->numbers && strcmp(number_shortest(number, shortest), value) != 0)
        return false;
    *out = number;
    return true;
}

// draw: one attempt at the values of all parameters.
#include "draw.h"

#include <math.h>

static double draw_real(struct mersenne *random, double low, double high)
{
    return low + (high - low) * mersenne_unit(random);
}

// pow(), not exp2(): the last bit must be the one that Python's 2 ** x has.
static struct value draw_logarithmic(const struct spec_parameter *parameter,
                                     struct mersenne *random)
{
    double drawn = pow(2, draw_real(random, parameter->log_min, parameter->log_max));
    if (drawn >= 0x1p63 || (int64_t)drawn > parameter->max.integer)
        return parameter->max;
    return (int64_t)drawn < parameter->min.integer ? parameter->min : value_integer((int64_t)drawn);
}

static struct drawn draw(const struct spec_parameter *parameter, struct mersenne *random)
{
    const struct value min = parameter->min, max = parameter->max;
    if (parameter->distribution == SPEC_CHOICES) {
        const struct spec_choice *choice =
            &parameter
                 ->choices[mersenne_choose(random, parameter->cumulative, parameter->choice_count)];
        return (struct drawn){choice->value, choice->target};
    }
    struct value value = min;
    if (parameter->distribution == SPEC_CONSTANT)
        return (struct drawn){value, SPEC_NONE};
    if (parameter->distribution == SPEC_LOGUNIFORM)
        value = draw_logarithmic(parameter, random);
    else if (min.is_real || max.is_real)
        value = value_real(draw_real(random, min.number, max.number));
    else
        value = value_integer(mersenne_between(random, min.integer, max.integer));
    return (struct drawn){value, SPEC_NONE};
}

void draw_parameters(const struct spec *spec, struct mersenne *random, bool first_attempt,
                     struct drawn *drawn, struct value *values)
{
    for (size_t i = 0; i < spec->parameter_count; i++)
        if (first_attempt || !spec->parameters[i].strict)
            drawn[i] = draw(&spec->parameters[i], random);
    for (size_t i = 0; i < spec->parameter_count; i++) {
        size_t from = i;
        while (drawn[from].alias != SPEC_NONE)
            from = drawn[from].alias;
        values[i] = drawn[from].value;
    }
}

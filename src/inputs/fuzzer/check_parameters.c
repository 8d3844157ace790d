// check_parameters: resolves aliases of parameters and checks their distributions.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "spec.h"

static struct bilanx_error check_bounds(const struct spec *spec, struct spec_parameter *parameter)
{
    bool logarithmic = parameter->distribution == SPEC_LOGUNIFORM;
    const struct value min = parameter->min, max = parameter->max;
    AUTO(text) struct text bounds = {0};
    value_add(&bounds, min);
    text_add(&bounds, ", ");
    value_add(&bounds, max);
    if (logarithmic && (min.is_real || max.is_real))
        return spec_error(spec, parameter->bounds_at,
                          "'%s': loguniform draws integers, but its bounds [%s] are not",
                          parameter->name, text_get(&bounds));
    if (logarithmic && min.integer < 1)
        return spec_error(spec, parameter->bounds_at,
                          "'%s': loguniform must start at 1 or above, not at [%s]", parameter->name,
                          text_get(&bounds));
    bool is_real = min.is_real || max.is_real;
    if (is_real ? !(min.number <= max.number) : min.integer > max.integer)
        return spec_error(spec, parameter->bounds_at,
                          "'%s': the bounds [%s] are reversed: write the lower one first",
                          parameter->name, text_get(&bounds));
    if (!isfinite(max.number - min.number))
        return spec_error(spec, parameter->bounds_at, "'%s': the bounds [%s] are too far apart",
                          parameter->name, text_get(&bounds));
    parameter->log_min = log2(min.number);
    parameter->log_max = log2(max.number);
    parameter->range = (struct spec_range){min.number, max.number, is_real};
    return BILANX_SUCCESS;
}

// Sums from the first to the last and divides by the result, as numpy does.
static struct bilanx_error check_probabilities(const struct spec *spec,
                                               struct spec_parameter *parameter)
{
    if (parameter->choice_count == 0 || parameter->choice_count > SPEC_MOST_CHOICES)
        return spec_error(spec, parameter->bounds_at, "'%s' has %zu choices: give it 1 to %d",
                          parameter->name, parameter->choice_count, SPEC_MOST_CHOICES);
    parameter->cumulative = mem_array(double, parameter->choice_count);
    double sum = 0;
    for (size_t i = 0; i < parameter->choice_count; i++) {
        const struct spec_choice *choice = &parameter->choices[i];
        if (!(choice->probability >= 0 && choice->probability <= 1 + 1e-5))
            return spec_error(spec, choice->at, "'%s': the probability %g is not between 0 and 1",
                              parameter->name, choice->probability);
        sum += choice->probability;
        parameter->cumulative[i] = sum;
    }
    if (fabs(sum - 1) > 1e-5)
        return spec_error(spec, parameter->bounds_at,
                          "'%s': the probabilities sum to %.10g instead of 1%s", parameter->name,
                          sum, sum > 99.9 && sum < 100.1 ? " (are they percentages?)" : "");
    for (size_t i = 0; i < parameter->choice_count; i++)
        parameter->cumulative[i] /= sum;
    return BILANX_SUCCESS;
}

static struct bilanx_error resolve_aliases(const struct spec *spec,
                                           struct spec_parameter *parameter)
{
    for (size_t i = 0; i < parameter->choice_count; i++) {
        struct spec_choice *choice = &parameter->choices[i];
        choice->target = choice->alias ? spec_find_parameter(spec, choice->alias) : SPEC_NONE;
        if (choice->alias && choice->target == SPEC_NONE)
            return spec_no_parameter(spec, choice->at, choice->alias);
    }
    return BILANX_SUCCESS;
}

static void widen(struct spec_range *range, struct spec_range by)
{
    range->low = fmin(range->low, by.low);
    range->high = fmax(range->high, by.high);
    range->is_real = range->is_real || by.is_real;
}

// A cycle of aliases.
struct path {
    const struct path *before;
    size_t parameter;
};

static struct bilanx_error cycle(const struct spec *spec, const struct path *path,
                                 const struct spec_choice *choice)
{
    AUTO(text) struct text names = {0};
    text_add(&names, choice->alias);
    for (const struct path *step = path;; step = step->before) {
        AUTO(text) struct text rest = names;
        names = (struct text){0};
        text_format(&names, "%s -> %s", spec->parameters[step->parameter].name, text_get(&rest));
        if (step->parameter == choice->target)
            break;
    }
    return spec_error(spec, choice->at,
                      "the aliases go in a circle: %.200s (let one of them be a number)",
                      text_get(&names));
}

// Visits the parameters that a parameter takes its value from, to determine its range.
static struct bilanx_error follow(struct spec *spec, size_t index, const struct path *before)
{
    struct spec_parameter *parameter = &spec->parameters[index];
    if (parameter->seen == SPEC_SEEN || parameter->distribution != SPEC_CHOICES)
        return BILANX_SUCCESS;
    parameter->seen = SPEC_BEING_SEEN;
    parameter->range = (struct spec_range){INFINITY, -INFINITY, false};
    const struct path path = {before, index};
    for (size_t i = 0; i < parameter->choice_count; i++) {
        const struct spec_choice *choice = &parameter->choices[i];
        if (choice->target == SPEC_NONE) {
            double number = choice->value.number;
            if (choice->probability > 0)
                widen(&parameter->range,
                      (struct spec_range){number, number, choice->value.is_real});
            continue;
        }
        if (spec->parameters[choice->target].seen == SPEC_BEING_SEEN)
            return cycle(spec, &path, choice);
        BILANX_TRY(follow(spec, choice->target, &path));
        if (choice->probability > 0)
            widen(&parameter->range, spec->parameters[choice->target].range);
    }
    parameter->seen = SPEC_SEEN;
    return BILANX_SUCCESS;
}

struct bilanx_error spec_check_parameters(struct spec *spec)
{
    for (size_t i = 0; i < spec->parameter_count; i++) {
        struct spec_parameter *parameter = &spec->parameters[i];
        if (parameter->distribution != SPEC_CHOICES) {
            BILANX_TRY(check_bounds(spec, parameter));
            continue;
        }
        BILANX_TRY(check_probabilities(spec, parameter));
        BILANX_TRY(resolve_aliases(spec, parameter));
    }
    for (size_t i = 0; i < spec->parameter_count; i++)
        BILANX_TRY(follow(spec, i, NULL));
    return BILANX_SUCCESS;
}

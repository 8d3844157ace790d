// pointwise: broadcasts operands, chooses types, and makes one kernel that stores one expression.
#include "pointwise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/conventions.h"
#include "backends/common/promotion.h"
#include "tables.h"

enum { MOST_OPERANDS = 4 };

struct argument_word {
    char name[32], otherwise[16];
    bool is_parameter, is_apart, is_mask;
};

struct points {
    struct view operands[MOST_OPERANDS];
    struct argument_word words[MOST_OPERANDS];
    const struct bilanx_value *values[MOST_OPERANDS];
    double storage[MOST_OPERANDS];
    bool is_number[MOST_OPERANDS];
    int count;
    struct number parameters[KERNEL_NUMBERS];
    int parameter_count;
    struct promotion promotion;
};

// The names in a schema, as permanent texts, because kernels keep pointers to them.
static const char *next_word(const char *schema, struct argument_word *out)
{
    *out = (struct argument_word){0};
    for (; *schema && strchr("*!?", *schema); schema++) {
        out->is_parameter |= *schema == '*';
        out->is_apart |= *schema == '!';
        out->is_mask |= *schema == '?';
    }
    size_t length = strcspn(schema, " ="), whole = strcspn(schema, " ");
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, schema);
    if (whole > length)
        snprintf(out->otherwise, sizeof out->otherwise, "%.*s", (int)(whole - length - 1),
                 schema + length + 1);
    schema += whole;
    return schema + strspn(schema, " ");
}

static struct number number_of(const struct bilanx_value *value, const char *otherwise)
{
    double real = value && value->text ? number_of_word(value->text)
                  : value              ? bilanx_value_real(value, 0)
                                       : number_of_word(otherwise);
    return (struct number){.real = real,
                           .integer = value && value->kind == BILANX_INTEGER ? value->integer
                                                                             : integer_of(real)};
}

static const char *take_operand(struct points *points, const struct argument_word *word,
                                const struct bilanx_value *value)
{
    int at = points->count++;
    struct view *operand = &points->operands[at];
    points->words[at] = *word;
    points->values[at] = value;
    points->is_number[at] = !value || value->kind != BILANX_TENSOR;
    if (!value && !*word->otherwise)
        return "an argument is missing";
    if (value && !value_view(value, &points->storage[at], operand))
        return "an argument is neither a tensor nor a number";
    if (!value)
        *operand = (struct view){.data = (char *)&points->storage[at], .type = dtype_find("f64")};
    if (value && !word->is_apart)
        promotion_add(&points->promotion, operand, points->is_number[at]);
    return NULL;
}

static const char *take_arguments(const struct frame *frame, struct points *points)
{
    *points = (struct points){0};
    const char *problem = NULL;
    for (const char *at = frame->routine->schema; *at && !problem;) {
        struct argument_word word;
        at = next_word(at, &word);
        const struct bilanx_value *value = argument(frame, word.name);
        if (word.is_parameter)
            points->parameters[points->parameter_count++] = number_of(value, word.otherwise);
        else
            problem = take_operand(points, &word, value);
    }
    return problem;
}

static const char *choose_types(const struct pointwise *how, const struct points *points,
                                const struct dtype **computed, const struct dtype **result)
{
    *computed = promotion_result(&points->promotion);
    if (!*computed)
        return "no tensor";
    bool is_real = (*computed)->kind == DTYPE_REAL;
    if (is_real ? how->result == INTEGERS : how->result == REALS)
        return is_real ? "real numbers" : "integers";
    if (how->result == FLOATING && !is_real)
        *computed = dtype_find("f32");
    *result = how->result == TRUTH ? dtype_find("bool") : *computed;
    bool is_f32 =
        computed_type(*computed)->kind == DTYPE_REAL && computed_type(*computed)->size == 4;
    for (int i = 0; i < points->count; i++) {
        const struct dtype *own = points->operands[i].type;
        if (!points->is_number[i] && own->kind == DTYPE_REAL && own->size == 2 && !is_f32)
            return "half types with other types";
        if (!points->is_number[i] && own->kind == DTYPE_REAL && !is_real && how->result != FLOATING)
            return "real numbers among integers";
    }
    return NULL;
}

// Well-known exponents.
static const char *power_by(const struct points *points)
{
    static const struct {
        double exponent;
        const char *as;
    } known[] = {{2, "self * self"},       {3, "self * self * self"}, {1, "self"},
                 {.5, "root(self)"},       {-1, "1 / self"},          {-.5, "1 / root(self)"},
                 {-2, "1 / (self * self)"}};
    if (!points->is_number[1] || points->is_number[0])
        return NULL;
    double exponent = bilanx_value_real(points->values[1], 0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].exponent == exponent)
            return known[i].as;
    return NULL;
}

static const char *expression(const struct frame *frame, const struct points *points)
{
    const struct pointwise *how = frame->routine->how;
    const char *known = strcmp(frame->routine->base, "pow") == 0 ? power_by(points) : NULL;
    double choice = points->parameter_count ? points->parameters[0].real : 0;
    if (known)
        return known;
    return how->third && choice == 2       ? how->third
           : how->otherwise && choice != 0 ? how->otherwise
                                           : how->as;
}

// In the layout of the first operand that has the result's shape.
static int place_result(struct plan *plan, const struct points *points, const struct view *shape,
                        const struct dtype *type)
{
    for (int i = 0; i < points->count; i++) {
        const struct view *operand = &points->operands[i];
        if (same_shape(operand, shape))
            return plan_result_like(plan, type, operand);
    }
    return plan_result(plan, type, shape->ndim, shape->shape, NULL);
}

static void add_number(struct kernel *kernel, const char *name, struct number number)
{
    snprintf(number.name, sizeof number.name, "%s", name);
    kernel->numbers[kernel->number_count++] = number;
}

static void add_operands(struct frame *frame, struct plan *plan, struct kernel *kernel,
                         const struct points *points, int in_place_pointer)
{
    for (int i = 0; i < points->count; i++) {
        const struct argument_word *word = &points->words[i];
        if (points->is_number[i]) {
            add_number(kernel, word->name, number_of(points->values[i], word->otherwise));
            continue;
        }
        struct operand *operand = kernel_tensor(plan, kernel, word->name, &points->operands[i]);
        operand->reading = word->is_mask ? AS_MASK : AS_NUMBER;
        if (i == 0 && in_place_pointer >= 0)
            operand->pointer = in_place_pointer;
    }
    int parameter = 0;
    for (const char *at = frame->routine->schema; *at;) {
        struct argument_word word;
        at = next_word(at, &word);
        if (word.is_parameter)
            add_number(kernel, word.name, points->parameters[parameter++]);
    }
}

static const char *plan_pointwise(struct frame *frame)
{
    struct points points;
    struct view shape;
    const struct dtype *computed, *type;
    const struct pointwise *how = frame->routine->how;
    const char *problem = take_arguments(frame, &points);
    if (!problem)
        problem = choose_types(how, &points, &computed, &type);
    if (!problem && !view_common_shape(points.operands, points.count, &shape))
        problem = "shapes do not fit";
    if (!problem && frame->in_place && !same_shape(&shape, &points.operands[0]))
        problem = "shapes do not fit";
    if (!problem && frame->in_place && computed->kind == DTYPE_REAL &&
        points.operands[0].type->kind != DTYPE_REAL && how->result != TRUTH)
        problem = "a real result in a tensor of integers";
    if (!problem && frame->in_place &&
        computed_type(computed) != computed_type(points.operands[0].type))
        problem = "another type in place";
    if (problem)
        return problem;
    struct plan *plan = plan_new(frame);
    int result, in_place = -1;
    struct view to = shape;
    if (frame->in_place) {
        plan_return(plan, 0);
        to = points.operands[0];
        type = to.type;
        result = in_place = plan_pointer(plan, &to);
    } else {
        result = place_result(plan, &points, &shape, type);
        memcpy(to.strides, plan->results[0].strides, sizeof to.strides);
    }
    struct kernel *kernel = plan_kernel(plan, computed, to.ndim, to.shape);
    add_operands(frame, plan, kernel, &points, in_place);
    kernel_output(kernel, type, result, to.strides);
    kernel->truth = how->result == TRUTH;
    kernel_stage(kernel)->store = expression(frame, &points);
    return NULL;
}

void forget_plan(struct frame *frame)
{
    plan_free(frame->cache);
    frame->cache = NULL;
}

#define OP(base_, overloads_, schema_, ...) \
    {.base = base_,                         \
     .overloads = overloads_,               \
     .schema = schema_,                     \
     .check = plan_pointwise,               \
     .forget = forget_plan,                 \
     .in_place = true,                      \
     .how = &(const struct pointwise){__VA_ARGS__}},

const struct routine pointwise_routines[] = {
#include "pointwise_operators.inc"
    {0},
};

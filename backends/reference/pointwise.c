// pointwise: broadcasts operands, computes blocks of them as doubles or integers.
#include "pointwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/conventions.h"
#include "backends/common/promotion.h"
#include "tables.h"

static double larger(double x, double y)  // a NaN wins
{
    return isnan(x) || x > y ? x : y;
}

static double smaller(double x, double y)
{
    return isnan(x) || x < y ? x : y;
}

static int64_t integer_clamped(int64_t x, int64_t least, int64_t most)
{
    x = x > least ? x : least;
    return x < most ? x : most;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double log_of_sum(double x, double y)
{
    return isinf(x) && x == y ? x : fmax(x, y) + log1p(exp(-fabs(x - y)));
}

enum rounding { NOT_ROUNDED, TO_ZERO, DOWN };  // as number_of_word() has them

static double remainder_of(double x, double y)
{
    double rest = fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// The quotient is rounded to the type before it is truncated: 0.6 / 0.2 is 3 in f32.
static double divided(double x, double y, double mode, bool is_double)
{
    double quotient = is_double ? x / y : (double)(float)(x / y);
    if (y == 0 || mode == NOT_ROUNDED)
        return x / y;
    if (mode == TO_ZERO)
        return trunc(quotient);
    double rest = fmod(x, y), down = (x - rest) / y - (rest != 0 && (rest < 0) != (y < 0));
    return down == 0 ? copysign(0, quotient) : rint(down);
}

// Computed from the nearer end, so that both ends are exact.
static double between(double x, double y, double weight)
{
    return weight < .5 ? x + weight * (y - x) : y - (y - x) * (1 - weight);
}

static int64_t integer_remainder(int64_t x, int64_t y)
{
    int64_t rest = y == 0 || y == -1 ? 0 : x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static int64_t integer_divided(int64_t x, int64_t y, int64_t mode)
{
    if (y == 0)
        return 0;
    if (y == -1)
        return (int64_t)(0 - (uint64_t)x);
    return x / y - (mode == DOWN && x % y != 0 && (x < 0) != (y < 0));
}

static int64_t integer_power(int64_t x, int64_t y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    uint64_t power = 1;
    for (uint64_t square = (uint64_t)x; y; y /= 2, square *= square)
        power *= y % 2 ? square : 1;
    return (int64_t)power;
}

// As usual, either by the error function or with a cubic in tanh.
static const double cubic = 0.044715;

static double gelu(double x, double by_tanh)
{
    double inner = M_2_SQRTPI * M_SQRT1_2 * (x + cubic * x * x * x);
    return by_tanh != 0 ? .5 * x * (1 + tanh(inner)) : .5 * x * (1 + erf(x * M_SQRT1_2));
}

static double gelu_slope(double x, double by_tanh)
{
    if (by_tanh == 0)
        return .5 * (1 + erf(x * M_SQRT1_2)) + x * exp(-.5 * x * x) * .5 * M_2_SQRTPI * M_SQRT1_2;
    double scale = M_2_SQRTPI * M_SQRT1_2, t = tanh(scale * (x + cubic * x * x * x));
    return .5 * (1 + t) + .5 * x * (1 - t * t) * scale * (1 + 3 * cubic * x * x);
}

static double elu_slope(double x, double alpha, double scale, double input_scale, double is_result)
{
    double below = is_result != 0 ? input_scale * (x + alpha * scale)
                                  : input_scale * alpha * scale * exp(x * input_scale);
    return x > 0 ? scale : below;
}

#define X in[0][i]
#define Y in[1][i]
#define Z in[2][i]
#define P(n) p[n]
#define U(x) ((uint64_t)(x))
#define W(x) ((int64_t)(x))
// One more than the parameters: what the type is.
#define IS_BOOL (p[POINTWISE_PARAMETERS] != 0)
#define IS_DOUBLE (p[POINTWISE_PARAMETERS] != 0)
#define UNUSED 0

#define OP(name, base, overloads, schema, result, real, integer)                         \
    static void reals_of_##name(size_t count, double *out, double(*in)[VIEW_BLOCK],      \
                                const double *p)                                         \
    {                                                                                    \
        (void)in, (void)p;                                                               \
        for (size_t i = 0; i < count; i++)                                               \
            out[i] = real;                                                               \
    }                                                                                    \
    static void integers_of_##name(size_t count, int64_t *out, int64_t(*in)[VIEW_BLOCK], \
                                   const int64_t *p)                                     \
    {                                                                                    \
        (void)in, (void)p;                                                               \
        for (size_t i = 0; i < count; i++)                                               \
            out[i] = integer;                                                            \
    }
#include "pointwise_operators.inc"
#undef OP

// Everything needed for one call. It is computed again in every run, because its time is part of
// the operator's.
struct points {
    struct view operands[POINTWISE_OPERANDS];
    double numbers[POINTWISE_OPERANDS];  // storage of operands that are numbers
    int operand_count;
    double reals[POINTWISE_PARAMETERS + 1];
    int64_t integers[POINTWISE_PARAMETERS + 1];
    int parameter_count;
    struct promotion promotion;
};

static void take_parameter(struct points *points, const struct bilanx_value *value,
                           const char *otherwise)
{
    double real = value && value->text ? number_of_word(value->text)
                  : value              ? bilanx_value_real(value, 0)
                                       : number_of_word(otherwise);
    int at = points->parameter_count++;
    points->reals[at] = real;
    points->integers[at] =
        value && value->kind == BILANX_INTEGER ? value->integer : integer_of(real);
}

static const char *take_operand(struct points *points, const struct bilanx_value *value,
                                const char *otherwise, bool decides)
{
    int at = points->operand_count++;
    struct view *operand = &points->operands[at];
    if (value_view(value, &points->numbers[at], operand)) {
        if (decides)
            promotion_add(&points->promotion, operand, value->kind != BILANX_TENSOR);
        return NULL;
    }
    if (value || !*otherwise)
        return "an argument is missing";
    points->numbers[at] = number_of_word(otherwise);
    *operand = (struct view){.data = (char *)&points->numbers[at], .type = dtype_find("f64")};
    return NULL;
}

static const char *take_arguments(const struct frame *frame, struct points *points)
{
    *points = (struct points){0};
    const char *problem = NULL;
    for (const char *word = frame->routine->schema; *word && !problem; word += strspn(word, " ")) {
        size_t marks = strspn(word, "*!");
        char name[48], *otherwise;
        size_t length = strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", (int)(length - marks), word + marks);
        otherwise = name + strcspn(name, "=");
        if (*otherwise)
            *otherwise++ = '\0';
        const struct bilanx_value *value = argument(frame, name);
        if (*word == '*')
            take_parameter(points, value, otherwise);
        else
            problem = take_operand(points, value, otherwise, *word != '!');
        word += length;
    }
    return problem;
}

// The type in which it is computed, and that of the result.
static const char *choose_types(const struct frame *frame, struct points *points,
                                const struct dtype **computed, const struct dtype **result)
{
    const struct pointwise *how = frame->routine->how;
    *computed = promotion_result(&points->promotion);
    if (!*computed)
        return "no tensor";
    bool is_real = (*computed)->kind == DTYPE_REAL;
    if (is_real ? how->result == INTEGERS : how->result == REALS)
        return is_real ? "real numbers" : "integers";
    bool rounds = how->result == ROUNDED && points->reals[0] != NOT_ROUNDED;
    if ((how->result == FLOATING || (how->result == ROUNDED && !rounds)) && !is_real)
        *computed = dtype_find("f32");
    *result = how->result == TRUTH ? dtype_find("bool") : *computed;
    points->integers[POINTWISE_PARAMETERS] = (*computed)->is_bool;
    points->reals[POINTWISE_PARAMETERS] = (*computed)->size == sizeof(double);
    return NULL;
}

static void compute_run(const struct pointwise *how, const struct points *points,
                        const struct walk *walk, const struct view *views, bool real)
{
    union {
        double reals[POINTWISE_OPERANDS + 1][VIEW_BLOCK];
        int64_t integers[POINTWISE_OPERANDS + 1][VIEW_BLOCK];
    } block;
    int last = points->operand_count;
    for (size_t i = 0, n; i < walk->length; i += n) {
        n = walk->length - i < VIEW_BLOCK ? walk->length - i : VIEW_BLOCK;
        char *at[WALK_MAX_VIEWS] = {0};
        for (int k = 0; k <= last; k++)
            at[k] = walk->at[k] + (int64_t)i * walk->step[k] * walk->sizes[k];
        for (int k = 0; k < last && real; k++)
            load_reals(views[k + 1].type, at[k + 1], walk->step[k + 1], n, block.reals[k]);
        for (int k = 0; k < last && !real; k++)
            load_integers(views[k + 1].type, at[k + 1], walk->step[k + 1], n, block.integers[k]);
        if (real) {
            how->real(n, block.reals[POINTWISE_OPERANDS], block.reals, points->reals);
            store_reals(views[0].type, at[0], walk->step[0], n, block.reals[POINTWISE_OPERANDS]);
        } else {
            how->integer(n, block.integers[POINTWISE_OPERANDS], block.integers, points->integers);
            store_integers(views[0].type, at[0], walk->step[0], n,
                           block.integers[POINTWISE_OPERANDS]);
        }
    }
}

// The value of an argument whose default is no limit: infinite, or the extreme of an integer type.
static bool is_unlimited(const struct view *operand, const struct dtype *computed, int64_t *extreme)
{
    if (computed->kind == DTYPE_REAL || strcmp(operand->type->name, "f64") != 0)
        return false;
    double number = *(const double *)(const void *)operand->data;
    if (!isinf(number))
        return false;
    *extreme = integer_of(number > 0 ? computed->largest : computed->smallest);
    return true;
}

// Operands without dimensions have the type of the computation: -1 is 255 among u8.
static void convert_scalars(struct points *points, const struct dtype *computed)
{
    for (int i = 0; i < points->operand_count; i++) {
        struct view *operand = &points->operands[i];
        double converted;
        if (operand->ndim > 0 || operand->type == computed)
            continue;
        struct view to = {.data = (char *)&converted, .type = computed};
        int64_t extreme;
        struct view limit = {.data = (char *)&extreme, .type = dtype_find("i64")};
        view_copy(&to, is_unlimited(operand, computed, &extreme) ? &limit : operand);
        points->numbers[i] = converted;
        *operand = (struct view){.data = (char *)&points->numbers[i], .type = computed};
    }
}

static void compute(const struct pointwise *how, const struct points *points,
                    const struct view *result, bool real)
{
    struct view views[POINTWISE_OPERANDS + 1] = {*result};
    for (int i = 0; i < points->operand_count; i++)
        views[i + 1] = view_broadcast(&points->operands[i], result->ndim, result->shape);
    struct walk walk;
    walk_init(&walk, views, points->operand_count + 1, true);
    while (walk_next(&walk))
        compute_run(how, points, &walk, views, real);
}

// In the layout of the first operand that has the result's shape.
static struct view make_result(struct frame *frame, const struct points *points,
                               const struct view *shape, const struct dtype *type)
{
    for (int i = 0; i < points->operand_count; i++) {
        const struct view *operand = &points->operands[i];
        if (operand->ndim == shape->ndim &&
            memcmp(operand->shape, shape->shape, (size_t)shape->ndim * sizeof *shape->shape) == 0)
            return add_result_like(frame, type, operand);
    }
    return add_result(frame, type, shape->ndim, shape->shape, NULL);
}

static const char *check(struct frame *frame)
{
    struct points points;
    const struct dtype *computed, *result;
    const char *problem = take_arguments(frame, &points);
    if (!problem)
        problem = choose_types(frame, &points, &computed, &result);
    struct view shape;
    if (!problem && !view_common_shape(points.operands, points.operand_count, &shape))
        problem = "shapes do not fit";
    return problem;
}

static const char *run(struct frame *frame)
{
    struct points points;
    const struct dtype *computed, *type;
    const char *problem = take_arguments(frame, &points);
    if (!problem)
        problem = choose_types(frame, &points, &computed, &type);
    struct view shape, result;
    if (!problem && !view_common_shape(points.operands, points.operand_count, &shape))
        problem = "shapes do not fit";
    if (problem)
        return problem;
    if (frame->in_place) {
        result = points.operands[0];
        frame->values[frame->result_count++] = frame->call->arguments[0];
    } else {
        result = make_result(frame, &points, &shape, type);
    }
    convert_scalars(&points, computed);
    compute(frame->routine->how, &points, &result, computed->kind == DTYPE_REAL);
    return NULL;
}

#define OP(name, base_, overloads_, schema_, result_, real_, integer_) \
    {.base = base_,                                                    \
     .overloads = overloads_,                                          \
     .schema = schema_,                                                \
     .check = check,                                                   \
     .run = run,                                                       \
     .in_place = true,                                                 \
     .how = &(const struct pointwise){result_, reals_of_##name, integers_of_##name}},

const struct routine pointwise_routines[] = {
#include "pointwise_operators.inc"
    {0},
};

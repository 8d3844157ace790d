// loss: losses over a batch, forward and backward.
#include <math.h>
#include <string.h>

#include "tables.h"

enum reduction { NONE, MEAN, SUM };  // as aten numbers them

static double scalar(const struct frame *frame, const char *name)
{
    struct view view;
    double value;
    argument_view(frame, name, &view);
    load_reals(view.type, view.data, 1, 1, &value);
    return value;
}

static void add_scalar(struct frame *frame, const struct dtype *type, double value)
{
    struct view out = add_result(frame, type, 0, NULL, NULL);
    store_reals(type, out.data, 1, 1, &value);
}

// A classification: the class of each sample, and its weight.
struct classes {
    struct view input;  // [samples, classes], or [classes]
    int64_t samples, count;
    int64_t *target;
    double *weight;
    enum reduction reduction;
    int64_t ignored;
};

static const char *take_classes(struct frame *frame, struct classes *out)
{
    struct view target, weight;
    argument_view(frame, "self", &out->input);
    argument_view(frame, "target", &target);
    bool single = out->input.ndim == 1;
    if (single)
        out->input = view_insert(&out->input, 0, 1, 0);
    out->samples = out->input.shape[0];
    out->count = out->input.shape[1];
    out->reduction = (enum reduction)argument_integer(frame, "reduction", MEAN);
    out->ignored = argument_integer(frame, "ignore_index", -100);
    out->target = scratch(frame, (size_t)out->samples * sizeof *out->target);
    load_integers(target.type, target.data, single ? 1 : target.strides[0], (size_t)out->samples,
                  out->target);
    out->weight = scratch(frame, (size_t)out->count * sizeof *out->weight);
    for (int64_t c = 0; c < out->count; c++)
        out->weight[c] = 1;
    if (argument_view(frame, "weight", &weight))
        load_reals(weight.type, weight.data, weight.strides[0], (size_t)out->count, out->weight);
    for (int64_t i = 0; i < out->samples; i++)
        if (out->target[i] != out->ignored && (out->target[i] < 0 || out->target[i] >= out->count))
            return "a target is out of range";
    return NULL;
}

static char *element(const struct view *view, int64_t row, int64_t column)
{
    return view->data +
           (row * view->strides[0] + column * view->strides[1]) * (int64_t)view->type->size;
}

static const char *nll(struct frame *frame)
{
    struct classes classes;
    const char *problem = take_classes(frame, &classes);
    if (problem)
        return problem;
    const struct dtype *type = classes.input.type;
    struct view losses = {0};
    if (classes.reduction == NONE)
        losses = add_result(frame, type, 1, &classes.samples, NULL);
    double total = 0, weights = 0;
    for (int64_t i = 0; i < classes.samples; i++) {
        double x = 0, weight = 0;
        if (classes.target[i] != classes.ignored) {
            load_reals(type, element(&classes.input, i, classes.target[i]), 1, 1, &x);
            weight = classes.weight[classes.target[i]];
        }
        double loss = weight == 0 ? 0 : -x * weight;
        total += loss;
        weights += weight;
        if (losses.data)
            store_reals(type, losses.data + i * (int64_t)type->size, 1, 1, &loss);
    }
    if (classes.reduction != NONE)
        add_scalar(frame, type, classes.reduction == MEAN ? total / weights : total);
    add_scalar(frame, type, classes.reduction == NONE ? 0 : weights);
    return NULL;
}

static const char *nll_backward(struct frame *frame)
{
    struct classes classes;
    struct view gradient;
    const char *problem = take_classes(frame, &classes);
    if (problem)
        return problem;
    argument_view(frame, "grad_output", &gradient);
    const struct dtype *type = classes.input.type;
    struct view self;
    argument_view(frame, "self", &self);
    struct view result = add_result(frame, type, self.ndim, self.shape, NULL), out = result;
    if (self.ndim == 1)
        out = view_insert(&result, 0, 1, 0);
    view_fill(&out, 0);
    double total = classes.reduction == MEAN ? scalar(frame, "total_weight") : 1;
    for (int64_t i = 0; i < classes.samples; i++) {
        if (classes.target[i] == classes.ignored)
            continue;
        double own;
        int64_t at = gradient.ndim ? i * gradient.strides[0] : 0;
        load_reals(gradient.type, gradient.data + at * (int64_t)gradient.type->size, 1, 1, &own);
        double value = -own * classes.weight[classes.target[i]] / total;
        store_reals(type, element(&out, i, classes.target[i]), 1, 1, &value);
    }
    return NULL;
}

// Losses of pairs of elements: the value of each, and its derivative.
struct pair_loss {
    double (*loss)(double x, double target);
    double (*slope)(double x, double target);
};

static double square(double x, double target)
{
    return (x - target) * (x - target);
}

static double square_slope(double x, double target)
{
    return 2 * (x - target);
}

// Logarithms are at least -100, and denominators at least 1e-12, so that probabilities of 0 and 1
// work.
static double cross_entropy(double x, double target)
{
    return (target - 1) * fmax(log1p(-x), -100) - target * fmax(log(x), -100);
}

static double cross_entropy_slope(double x, double target)
{
    return (x - target) / fmax((1 - x) * x, 1e-12);
}

static const struct pair_loss squares = {square, square_slope};
static const struct pair_loss cross_entropies = {cross_entropy, cross_entropy_slope};

struct pair {
    double *x, *y;
    int64_t count;
    struct view shape;
};

// All elements of an argument, in the shape of the result.
static double *elements(struct frame *frame, const struct view *view, const struct view *shape)
{
    struct view wide = view_broadcast(view, shape->ndim, shape->shape);
    struct slices slices;
    slices_init(&slices, &wide, (1u << wide.ndim) - 1);
    double *numbers = scratch(frame, (size_t)slices.length * sizeof *numbers);
    slices_load_reals(&slices, 0, numbers);
    return numbers;
}

static void take_pair(struct frame *frame, struct pair *pair)
{
    struct view views[2];
    argument_view(frame, "self", &views[0]);
    argument_view(frame, "target", &views[1]);
    view_common_shape(views, 2, &pair->shape);
    pair->shape.type = views[0].type;
    pair->count = 1;
    for (int d = 0; d < pair->shape.ndim; d++)
        pair->count *= pair->shape.shape[d];
    pair->x = elements(frame, &views[0], &pair->shape);
    pair->y = elements(frame, &views[1], &pair->shape);
}

static void weigh(struct frame *frame, const struct pair *pair, double *numbers)
{
    struct view weight;
    if (!argument_view(frame, "weight", &weight))
        return;
    const double *weights = elements(frame, &weight, &pair->shape);
    for (int64_t i = 0; i < pair->count; i++)
        numbers[i] *= weights[i];
}

static const char *pairs(struct frame *frame)
{
    const struct pair_loss *how = frame->routine->how;
    struct pair pair;
    take_pair(frame, &pair);
    enum reduction reduction = (enum reduction)argument_integer(frame, "reduction", MEAN);
    double total = 0;
    for (int64_t i = 0; i < pair.count; i++)
        pair.x[i] = how->loss(pair.x[i], pair.y[i]);
    weigh(frame, &pair, pair.x);
    for (int64_t i = 0; i < pair.count; i++)
        total += pair.x[i];
    if (reduction != NONE) {
        add_scalar(frame, pair.shape.type, reduction == MEAN ? total / (double)pair.count : total);
        return NULL;
    }
    struct view out = add_result(frame, pair.shape.type, pair.shape.ndim, pair.shape.shape, NULL);
    store_reals(out.type, out.data, 1, (size_t)pair.count, pair.x);
    return NULL;
}

static const char *pairs_backward(struct frame *frame)
{
    const struct pair_loss *how = frame->routine->how;
    struct pair pair;
    struct view gradient;
    take_pair(frame, &pair);
    argument_view(frame, "grad_output", &gradient);
    double *own = elements(frame, &gradient, &pair.shape);
    bool mean = argument_integer(frame, "reduction", MEAN) == MEAN;
    for (int64_t i = 0; i < pair.count; i++)
        own[i] *= how->slope(pair.x[i], pair.y[i]) / (mean ? (double)pair.count : 1);
    weigh(frame, &pair, own);
    struct view out = add_result(frame, pair.shape.type, pair.shape.ndim, pair.shape.shape, NULL);
    store_reals(out.type, out.data, 1, (size_t)pair.count, own);
    return NULL;
}

static const char *check(struct frame *frame)
{
    struct view self, target;
    if (!argument_view(frame, "self", &self) || !argument_view(frame, "target", &target))
        return "needs two tensors";
    return self.type->kind == DTYPE_REAL ? NULL : "integers";
}

#define ROW(base_, schema_, needs_, ...) \
    {.base = base_,                      \
     .overloads = "default",             \
     .schema = schema_,                  \
     .needs = needs_,                    \
     .check = check,                     \
     .run = __VA_ARGS__}

const struct routine loss_routines[] = {
    ROW("nll_loss_forward", "self target weight reduction ignore_index", "self target", nll),
    ROW("nll_loss_backward", "grad_output self target weight reduction ignore_index total_weight",
        "grad_output self target total_weight", nll_backward),
    ROW("mse_loss", "self target reduction", "self target", pairs, .how = &squares),
    ROW("mse_loss_backward", "grad_output self target reduction", "grad_output self target",
        pairs_backward, .how = &squares),
    ROW("binary_cross_entropy", "self target weight reduction", "self target", pairs,
        .how = &cross_entropies),
    ROW("binary_cross_entropy_backward", "grad_output self target weight reduction",
        "grad_output self target", pairs_backward, .how = &cross_entropies),
    {0},
};

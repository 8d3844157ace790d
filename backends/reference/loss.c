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

// Squares of differences, forward and backward.
struct pair {
    struct slices a, b, out;
    double *x, *y;
    int64_t count;
    struct view shape;
};

static void take_pair(struct frame *frame, struct pair *pair)
{
    struct view views[2];
    argument_view(frame, "self", &views[0]);
    argument_view(frame, "target", &views[1]);
    view_common_shape(views, 2, &pair->shape);
    int ndim = pair->shape.ndim;
    uint32_t all = (1u << ndim) - 1;
    for (int i = 0; i < 2; i++)
        views[i] = view_broadcast(&views[i], ndim, pair->shape.shape);
    slices_init(&pair->a, &views[0], all);
    slices_init(&pair->b, &views[1], all);
    pair->count = pair->a.length;
    pair->shape.type = views[0].type;
    pair->x = scratch(frame, (size_t)pair->count * sizeof *pair->x);
    pair->y = scratch(frame, (size_t)pair->count * sizeof *pair->y);
    slices_load_reals(&pair->a, 0, pair->x);
    slices_load_reals(&pair->b, 0, pair->y);
}

static const char *squares(struct frame *frame)
{
    struct pair pair;
    take_pair(frame, &pair);
    enum reduction reduction = (enum reduction)argument_integer(frame, "reduction", MEAN);
    double total = 0;
    for (int64_t i = 0; i < pair.count; i++) {
        pair.x[i] = (pair.x[i] - pair.y[i]) * (pair.x[i] - pair.y[i]);
        total += pair.x[i];
    }
    if (reduction != NONE) {
        add_scalar(frame, pair.shape.type, reduction == MEAN ? total / (double)pair.count : total);
        return NULL;
    }
    struct view out = add_result(frame, pair.shape.type, pair.shape.ndim, pair.shape.shape, NULL);
    store_reals(out.type, out.data, 1, (size_t)pair.count, pair.x);
    return NULL;
}

static const char *squares_backward(struct frame *frame)
{
    struct pair pair;
    struct view gradient;
    take_pair(frame, &pair);
    argument_view(frame, "grad_output", &gradient);
    gradient = view_broadcast(&gradient, pair.shape.ndim, pair.shape.shape);
    struct slices slices;
    slices_init(&slices, &gradient, (1u << gradient.ndim) - 1);
    double *own = scratch(frame, (size_t)pair.count * sizeof *own);
    slices_load_reals(&slices, 0, own);
    bool mean = argument_integer(frame, "reduction", MEAN) == MEAN;
    for (int64_t i = 0; i < pair.count; i++)
        own[i] *= 2 * (pair.x[i] - pair.y[i]) / (mean ? (double)pair.count : 1);
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

#define ROW(base_, schema_, needs_, run_) \
    {.base = base_,                       \
     .overloads = "default",              \
     .schema = schema_,                   \
     .needs = needs_,                     \
     .check = check,                      \
     .run = run_}

const struct routine loss_routines[] = {
    ROW("nll_loss_forward", "self target weight reduction ignore_index", "self target", nll),
    ROW("nll_loss_backward", "grad_output self target weight reduction ignore_index total_weight",
        "grad_output self target total_weight", nll_backward),
    ROW("mse_loss", "self target reduction", "self target", squares),
    ROW("mse_loss_backward", "grad_output self target reduction", "grad_output self target",
        squares_backward),
    {0},
};

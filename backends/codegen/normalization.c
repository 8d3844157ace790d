// normalization: softmax and log-softmax, and layer, group and batch norm, forward and backward.
//
// The three norms differ only in their spaces: in the dimensions of a slice, and in those along
// which weights have strides.
#include <string.h>

#include "tables.h"

// ---- Softmax

struct soft {
    const char *first, *second;
    void (*describe)(struct kernel *kernel);
};

static void softmax(struct kernel *kernel)
{
    struct operand again = kernel->outputs[0];  // what the second stage stored
    strcpy(again.name, "powers");
    kernel->inputs[kernel->input_count++] = again;
    stage_fold(kernel_stage(kernel), "most", LARGEST, "x");
    struct stage *stage = kernel_stage(kernel);
    stage->store = "exponential(x - most)";
    stage_fold(stage, "total", SUM, "stored");
    stage_define(stage, "scale", "1 / total");
    kernel_stage(kernel)->store = "powers * scale";
}

// Adds stages that define `most` and `total`, for softmax without stored powers.
static struct stage *sum_powers(struct kernel *kernel)
{
    stage_fold(kernel_stage(kernel), "most", LARGEST, "x");
    struct stage *stage = kernel_stage(kernel);
    stage_fold(stage, "total", SUM, "exponential(x - most)");
    return stage;
}

// With narrow results, stored powers would be rounded twice.
static void softmax_of_halves(struct kernel *kernel)
{
    stage_define(sum_powers(kernel), "scale", "1 / total");
    kernel_stage(kernel)->store = "exponential(x - most) * scale";
}

static void log_softmax(struct kernel *kernel)
{
    stage_define(sum_powers(kernel), "shift", "logarithm(total)");
    kernel_stage(kernel)->store = "(x - most) - shift";  // most + shift would lose the shift
}

static void softmax_backward(struct kernel *kernel)
{
    struct stage *stage = kernel_stage(kernel);
    stage_fold(stage, "total", SUM, "x * result");
    stage_guard(kernel, stage, "unbounded(total)");
    kernel_stage(kernel)->store = "result * (x - total)";
}

static void log_softmax_backward(struct kernel *kernel)
{
    struct stage *stage = kernel_stage(kernel);
    stage_fold(stage, "total", SUM, "x");
    stage_guard(kernel, stage, "unbounded(total)");
    kernel_stage(kernel)->store = "x - exponential(result) * total";
}

static const char *plan_soft(struct frame *frame)
{
    const struct soft *how = frame->routine->how;
    struct view x, result;
    if (!argument_view(frame, how->first, &x) ||
        (how->second && !argument_view(frame, how->second, &result)))
        return "needs a tensor";
    if (!has_dimension(frame, "dim", &x) || (how->second && !same_shape(&x, &result)))
        return "shapes do not fit";
    const struct dtype *type = argument_integer(frame, "half_to_float", 0)
                                   ? dtype_find("f32")
                                   : argument_type(frame, "input_dtype", x.type);
    if (!type || x.type->kind != DTYPE_REAL || type->kind != DTYPE_REAL)
        return "integers";
    const struct dtype *computed = computed_type(x.type);
    if (type->size == 2 && computed->size != 4)
        return "half types with other types";
    struct plan *plan = plan_new(frame);
    int pointer = plan_result_like(plan, type, &x);
    struct kernel *kernel = plan_kernel(plan, computed, x.ndim, x.shape);
    kernel->reduced = x.ndim ? 1u << view_dimension(&x, argument_integer(frame, "dim", 0)) : 0;
    kernel_tensor(plan, kernel, "x", &x);
    if (how->second)
        kernel_tensor(plan, kernel, "result", &result);
    kernel_output(kernel, type, pointer, plan->results[0].strides);
    if (how->describe == softmax && type->size < 4)
        softmax_of_halves(kernel);
    else
        how->describe(kernel);
    return NULL;
}

// ---- Norms

// The space of a norm: its dimensions are those of the input, with the channels of a group norm as
// two. Vectors are weights and statistics.
struct norm {
    struct view input, gradient;
    uint32_t slice;                                    // dimensions that are normalised together
    int64_t weight_strides[BILANX_MAX_DIMENSIONS];     // of weights, in the space
    int64_t statistic_strides[BILANX_MAX_DIMENSIONS];  // of means
    uint32_t weighted;                                 // dimensions that weights have
};

static struct view split(const struct view *view, int64_t groups)
{
    struct view wide = view_insert(view, 1, groups, view->strides[1] * (view->shape[1] / groups));
    wide.shape[2] = view->shape[1] / groups;
    return wide;
}

// Strides of a contiguous tensor that has the dimensions of a set.
static void set_strides(const struct view *space, uint32_t set, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = space->ndim - 1; d >= 0; d--) {
        strides[d] = set >> d & 1 ? stride : 0;
        stride *= set >> d & 1 && space->shape[d] ? space->shape[d] : 1;
    }
}

static const char *take_norm(struct frame *frame, struct norm *norm)
{
    const char *base = frame->routine->base;
    argument_view(frame, "input", &norm->input);
    if (!argument_view(frame, "grad_out", &norm->gradient))
        norm->gradient = norm->input;
    const struct view *input = &norm->input;
    uint32_t all = (1u << input->ndim) - 1;
    if (input->type->kind != DTYPE_REAL || !same_shape(input, &norm->gradient))
        return input->type->kind == DTYPE_REAL ? "shapes do not fit" : "integers";
    if (strstr(base, "layer")) {
        int64_t shape[BILANX_MAX_DIMENSIONS];
        int count = argument_integers(frame, "normalized_shape", shape);
        if (count < 1 || count > input->ndim)
            return "shapes do not fit";
        norm->slice = all & ~((1u << (input->ndim - count)) - 1);
        norm->weighted = norm->slice;
    } else if (strstr(base, "group")) {
        int64_t groups = argument_integer(frame, "group", 1);
        if (input->ndim < 2 || input->ndim + 1 >= BILANX_MAX_DIMENSIONS / 2 || groups < 1 ||
            input->shape[1] % groups)
            return "shapes do not fit";
        norm->input = split(input, groups);
        norm->gradient = split(&norm->gradient, groups);
        norm->slice = ((1u << norm->input.ndim) - 1) & ~3u;
        norm->weighted = 6;
    } else {
        if (input->ndim < 2)
            return "one dimension";
        norm->slice = all & ~2u;
        norm->weighted = 2;
    }
    set_strides(&norm->input, norm->weighted, norm->weight_strides);
    set_strides(&norm->input, ((1u << norm->input.ndim) - 1) & ~norm->slice,
                norm->statistic_strides);
    return NULL;
}

static int64_t count_of(const struct norm *norm, uint32_t set)
{
    int64_t count = 1;
    for (int d = 0; d < norm->input.ndim; d++)
        count *= set >> d & 1 ? norm->input.shape[d] : 1;
    return count;
}

// Mean and scale are f32 if data is narrower than weights.
static const struct dtype *statistics_type(const struct frame *frame, const struct dtype *input)
{
    struct view weight;
    return argument_view(frame, "weight", &weight) && weight.type != input ? dtype_find("f32")
                                                                           : input;
}

struct vector {  // an argument with the strides of weights or statistics
    const char *argument, *name;
    const int64_t *strides;
    double otherwise;  // the number used if it is absent
};

static const char *add_vector(struct plan *plan, struct kernel *kernel, const struct vector *vector)
{
    struct view view;
    if (!argument_view(plan->frame, vector->argument, &view)) {
        kernel_number(kernel, vector->name, vector->otherwise);
        return NULL;
    }
    int64_t count = 1;
    for (int d = 0; d < kernel->ndim; d++)
        count *= vector->strides[d] ? kernel->shape[d] : 1;
    if (!view_is_contiguous(&view) || view_count(&view) != count || view.type->kind != DTYPE_REAL)
        return "weights of another size";
    if (view.type->size == 2 && kernel->computed->size != 4)
        return "half types with other types";
    kernel_input(kernel, vector->name, view.type, plan_pointer(plan, &view), vector->strides);
    return NULL;
}

// Reads them up to one without a name. Returns the reason if that is not possible, otherwise NULL.
static const char *add_vectors(struct plan *plan, struct kernel *kernel,
                               const struct vector *vectors)
{
    const char *problem = NULL;
    for (; vectors->name && !problem; vectors++)
        problem = add_vector(plan, kernel, vectors);
    return problem;
}

static struct kernel *start(struct plan *plan, const struct norm *norm, uint32_t reduced)
{
    struct kernel *kernel =
        plan_kernel(plan, norm->input.type, norm->input.ndim, norm->input.shape);
    kernel->reduced = reduced;
    return kernel;
}

static void result_strides(const struct plan *plan, const struct norm *norm, int result,
                           int64_t *strides)
{
    const int64_t *own = plan->results[result].strides;
    if (plan->results[result].ndim == norm->input.ndim) {
        memcpy(strides, own, (size_t)norm->input.ndim * sizeof *own);
        return;
    }
    struct view result_view = {.ndim = plan->results[result].ndim};
    memcpy(result_view.shape, plan->results[result].shape, sizeof result_view.shape);
    memcpy(result_view.strides, own, sizeof result_view.strides);
    struct view wide = split(&result_view, norm->input.shape[1]);
    memcpy(strides, wide.strides, sizeof wide.strides);
}

// Adds the result in the layout of the input, whatever the space is.
static void add_main_result(struct plan *plan, const struct norm *norm, struct kernel *kernel)
{
    struct view input;
    int64_t strides[BILANX_MAX_DIMENSIONS];
    argument_view(plan->frame, "input", &input);
    int pointer = strstr(plan->frame->routine->base, "group")
                      ? plan_result(plan, input.type, input.ndim, input.shape, NULL)
                      : plan_result_like(plan, input.type, &input);
    result_strides(plan, norm, plan->result_count - 1, strides);
    kernel_output(kernel, input.type, pointer, strides);
}

// Plans the common part of all three: the input, weights, and the main result.
static const char *start_forward(struct frame *frame, struct norm *norm, struct kernel **out)
{
    const char *problem = take_norm(frame, norm);
    if (problem)
        return problem;
    struct plan *plan = plan_new(frame);
    struct kernel *kernel = *out = start(plan, norm, norm->slice);
    kernel_tensor(plan, kernel, "x", &norm->input);
    add_main_result(plan, norm, kernel);
    kernel_number(kernel, "epsilon", argument_real(frame, "eps", 1e-5));
    return add_vectors(plan, kernel,
                       (const struct vector[]){{"weight", "weight", norm->weight_strides, 1},
                                               {"bias", "bias", norm->weight_strides, 0},
                                               {0}});
}

// Adds `mean` and `scale`, which are results too. Returns the stage that defines them.
static struct stage *add_statistics(struct plan *plan, const struct norm *norm,
                                    struct kernel *kernel, int ndim, const int64_t *shape)
{
    const struct dtype *type = statistics_type(plan->frame, norm->input.type);
    for (int i = 0; i < 2; i++)
        kernel_output(kernel, type, plan_result(plan, type, ndim, shape, NULL),
                      norm->statistic_strides);
    describe_moments(kernel);
    struct stage *stage = &kernel->stages[kernel->stage_count - 1];
    stage_define(stage, "scale", "1 / root(spread / n + epsilon)");
    stage_save(stage, 1, "mean");
    stage_save(stage, 2, "scale");
    return stage;
}

static const char *plan_forward(struct frame *frame)
{
    struct norm norm;
    struct kernel *kernel;
    const char *problem = start_forward(frame, &norm, &kernel);
    if (problem)
        return problem;
    int64_t shape[BILANX_MAX_DIMENSIONS];
    int ndim = 0;
    bool is_layer = strstr(frame->routine->base, "layer");
    for (int d = 0; d < norm.input.ndim; d++) {
        bool kept = !(norm.slice >> d & 1);
        if (kept || is_layer)
            shape[ndim++] = kept ? norm.input.shape[d] : 1;
    }
    struct stage *stage = add_statistics(frame->cache, &norm, kernel, ndim, shape);
    if (count_of(&norm, norm.slice) == 0)
        stage->saves[0].as = "splat(0)";  // the mean of nothing, as in ATen
    kernel_stage(kernel)->store = "(x - mean) * scale * weight + bias";
    return NULL;
}

// Running statistics are updated in place.
static void update_running(struct plan *plan, const struct norm *norm, struct kernel *kernel)
{
    static const struct {
        const char *name, *as;
    } updates[] = {
        {"running_mean", "rest * running_mean + momentum * mean"},
        {"running_var", "rest * running_var + momentum * (spread / freedom)"},
    };
    double count = (double)count_of(norm, norm->slice);
    double momentum = argument_real(plan->frame, "momentum", .1);
    kernel_number(kernel, "momentum", momentum);
    kernel_number(kernel, "rest", 1 - momentum);
    kernel_number(kernel, "freedom", count - 1);
    for (int i = 0; i < 2; i++) {
        struct view running;
        if (!argument_view(plan->frame, updates[i].name, &running))
            continue;
        int pointer = plan_pointer(plan, &running);
        kernel_input(kernel, updates[i].name, running.type, pointer, norm->weight_strides);
        kernel_output(kernel, running.type, pointer, norm->weight_strides);
        stage_save(&kernel->stages[kernel->stage_count - 1], kernel->output_count - 1,
                   updates[i].as);
    }
}

// Without training, statistics are arguments, and the returned ones are empty.
static const char *add_given_statistics(struct plan *plan, const struct norm *norm,
                                        struct kernel *kernel)
{
    const struct dtype *type = statistics_type(plan->frame, norm->input.type);
    for (int i = 0; i < 2; i++)
        plan_result(plan, type, 1, (const int64_t[]){0}, NULL);
    stage_define(kernel_stage(kernel), "scale", "1 / root(variance + epsilon)");
    return add_vectors(plan, kernel,
                       (const struct vector[]){{"running_mean", "mean", norm->weight_strides, 0},
                                               {"running_var", "variance", norm->weight_strides, 1},
                                               {0}});
}

static const char *plan_batch(struct frame *frame)
{
    struct norm norm;
    struct kernel *kernel;
    const char *problem = start_forward(frame, &norm, &kernel);
    if (problem)
        return problem;
    struct plan *plan = frame->cache;
    if (argument_integer(frame, "training", 0)) {
        add_statistics(plan, &norm, kernel, 1, &norm.input.shape[1]);
        update_running(plan, &norm, kernel);
    } else {
        problem = add_given_statistics(plan, &norm, kernel);
    }
    stage_define(&kernel->stages[kernel->stage_count - 1], "factor", "scale * weight");
    kernel_stage(kernel)->store = "(x - mean) * factor + bias";
    return problem;
}

static struct kernel *start_backward(struct plan *plan, const struct norm *norm, uint32_t reduced)
{
    struct kernel *kernel = start(plan, norm, reduced);
    kernel_tensor(plan, kernel, "gradient", &norm->gradient);
    kernel_tensor(plan, kernel, "x", &norm->input);
    return kernel;
}

// Gradients of weights and biases: sums over all dimensions that weights do not have.
static const char *add_weight_kernel(struct plan *plan, const struct norm *norm, bool for_weight,
                                     bool for_bias)
{
    struct frame *frame = plan->frame;
    const struct dtype *type = statistics_type(frame, norm->input.type);
    uint32_t all = (1u << norm->input.ndim) - 1;
    struct kernel *kernel = start_backward(plan, norm, all & ~norm->weighted);
    const char *problem =
        add_vectors(plan, kernel,
                    (const struct vector[]){{"mean", "mean", norm->statistic_strides, 0},
                                            {"rstd", "scale", norm->statistic_strides, 1},
                                            {0}});
    struct stage *stage = kernel_stage(kernel);
    int64_t shape[BILANX_MAX_DIMENSIONS];
    int ndim = argument_integers(frame, "normalized_shape", shape);
    if (ndim == 0) {
        ndim = 1;
        shape[0] = count_of(norm, norm->weighted);
    }
    const bool wanted[] = {for_weight, for_bias};
    static const char *const folds[] = {"gradient * ((x - mean) * scale)", "gradient"};
    static const char *const names[] = {"for_weight", "for_bias"};
    static const char *const guards[] = {NULL, "unbounded(for_bias)", "unbounded(for_weight)",
                                         "unbounded(for_weight) | unbounded(for_bias)"};
    for (int i = 0; i < 2; i++) {
        if (!wanted[i]) {
            plan_return(plan, -1);
            continue;
        }
        int pointer = plan_result(plan, type, ndim, shape, NULL);
        kernel_output(kernel, type, pointer, norm->weight_strides);
        stage_fold(stage, names[i], SUM, folds[i]);
        stage_save(stage, kernel->output_count - 1, names[i]);
    }
    stage_guard(kernel, stage, guards[2 * for_weight + for_bias]);
    return problem;
}

static const char *add_input_kernel(struct plan *plan, const struct norm *norm)
{
    struct kernel *kernel = start_backward(plan, norm, norm->slice);
    add_main_result(plan, norm, kernel);
    kernel_number(kernel, "share", 1 / (double)count_of(norm, norm->slice));
    struct stage *stage = kernel_stage(kernel);
    stage_fold(stage, "sum", SUM, "gradient * weight");
    stage_fold(stage, "projection", SUM, "gradient * weight * (x - mean)");
    stage_define(stage, "slope", "projection * scale * share * scale");
    stage_define(stage, "shift", "sum * share * scale");
    stage_guard(kernel, stage, "unbounded(sum) | unbounded(projection)");
    kernel_stage(kernel)->store = "gradient * weight * scale - (x - mean) * scale * slope - shift";
    return add_vectors(plan, kernel,
                       (const struct vector[]){{"weight", "weight", norm->weight_strides, 1},
                                               {"mean", "mean", norm->statistic_strides, 0},
                                               {"rstd", "scale", norm->statistic_strides, 1},
                                               {0}});
}

static const char *plan_backward(struct frame *frame)
{
    struct norm norm;
    const char *problem = take_norm(frame, &norm);
    if (problem)
        return problem;
    struct plan *plan = plan_new(frame);
    if (argument_item(frame, "output_mask", 0))
        problem = add_input_kernel(plan, &norm);
    else
        plan_return(plan, -1);
    bool for_weight = argument_item(frame, "output_mask", 1);
    bool for_bias = argument_item(frame, "output_mask", 2);
    if (problem)
        return problem;
    if (for_weight || for_bias)
        return add_weight_kernel(plan, &norm, for_weight, for_bias);
    plan_return(plan, -1);
    plan_return(plan, -1);
    return NULL;
}

struct wanted {  // gradients, by output_mask
    bool input, weight, bias;
};

// Adds the sums, per channel, that the gradients are computed from.
static struct stage *fold_batch_backward(struct kernel *kernel, struct wanted wanted, bool training)
{
    static const char *const guards[] = {NULL, "unbounded(sum)", "unbounded(projection)",
                                         "unbounded(sum) | unbounded(projection)"};
    bool sums = wanted.bias || (wanted.input && training);
    bool projects = wanted.weight || (wanted.input && training);
    struct stage *stage = kernel_stage(kernel);
    if (sums)
        stage_fold(stage, "sum", SUM, "gradient");
    if (projects)
        stage_fold(stage, "projection", SUM, "gradient * (x - mean)");
    stage_guard(kernel, stage, guards[2 * projects + sums]);
    if (wanted.weight || wanted.input)
        stage_define(stage, "scale", training ? "given" : "1 / root(given + epsilon)");
    return stage;
}

static void add_batch_input(struct plan *plan, const struct norm *norm, struct kernel *kernel,
                            struct stage *stage, bool training)
{
    stage_define(stage, "factor", "scale * weight");
    add_main_result(plan, norm, kernel);
    struct stage *last = kernel_stage(kernel);
    last->store = "gradient * factor";
    if (training) {
        stage_define(stage, "slope", "projection * scale * share * scale");
        stage_define(stage, "shift", "sum * share");
        last->store = "(gradient - shift - (x - mean) * slope) * factor";
    }
}

static void add_batch_vector(struct plan *plan, const struct norm *norm, struct kernel *kernel,
                             struct stage *stage, const char *saved)
{
    const struct dtype *type = statistics_type(plan->frame, norm->input.type);
    int pointer = plan_result(plan, type, 1, &norm->input.shape[1], NULL);
    kernel_output(kernel, type, pointer, norm->statistic_strides);
    stage_save(stage, kernel->output_count - 1, saved);
}

static const char *plan_batch_backward(struct frame *frame)
{
    struct norm norm;
    const char *problem = take_norm(frame, &norm);
    if (problem)
        return problem;
    bool training = argument_integer(frame, "train", 0);
    struct wanted wanted = {argument_item(frame, "output_mask", 0),
                            argument_item(frame, "output_mask", 1),
                            argument_item(frame, "output_mask", 2)};
    struct plan *plan = plan_new(frame);
    if (!wanted.input && !wanted.weight && !wanted.bias) {
        for (int i = 0; i < 3; i++)
            plan_return(plan, -1);
        return NULL;
    }
    struct kernel *kernel = start_backward(plan, &norm, norm.slice);
    const struct vector vectors[] = {
        {"weight", "weight", norm.weight_strides, 1},
        {training ? "save_mean" : "running_mean", "mean", norm.weight_strides, 0},
        {training ? "save_invstd" : "running_var", "given", norm.weight_strides, 1},
        {0}};
    problem = add_vectors(plan, kernel, vectors);
    kernel_number(kernel, "epsilon", argument_real(frame, "eps", 1e-5));
    kernel_number(kernel, "share", 1 / (double)count_of(&norm, norm.slice));
    struct stage *stage = fold_batch_backward(kernel, wanted, training);
    if (wanted.input)
        add_batch_input(plan, &norm, kernel, stage, training);
    else
        plan_return(plan, -1);
    if (wanted.weight)
        add_batch_vector(plan, &norm, kernel, stage, "projection * scale");
    else
        plan_return(plan, -1);
    if (wanted.bias)
        add_batch_vector(plan, &norm, kernel, stage, "sum");
    else
        plan_return(plan, -1);
    return problem;
}

#define SOFT(base_, schema_, ...) \
    PLANNED(base_, schema_, NULL, plan_soft, .how = &(const struct soft){__VA_ARGS__})

const struct routine normalization_routines[] = {
    SOFT("_softmax", "self dim half_to_float", "self", NULL, softmax),
    SOFT("_log_softmax", "self dim half_to_float", "self", NULL, log_softmax),
    SOFT("_softmax_backward_data", "grad_output output dim input_dtype", "grad_output", "output",
         softmax_backward),
    SOFT("_log_softmax_backward_data", "grad_output output dim input_dtype", "grad_output",
         "output", log_softmax_backward),
    PLANNED("native_layer_norm", "input normalized_shape weight bias eps", "input", plan_forward),
    PLANNED("native_layer_norm_backward",
            "grad_out input normalized_shape mean rstd weight bias output_mask",
            "grad_out input mean rstd", plan_backward),
    PLANNED("native_group_norm", "input weight bias N C HxW group eps", "input", plan_forward),
    PLANNED("native_group_norm_backward",
            "grad_out input mean rstd weight N C HxW group output_mask", "grad_out input mean rstd",
            plan_backward),
    PLANNED("native_batch_norm", "input weight bias running_mean running_var training momentum eps",
            "input", plan_batch),
    PLANNED("native_batch_norm_backward",
            "grad_out input weight running_mean running_var save_mean save_invstd train eps "
            "output_mask",
            "grad_out input", plan_batch_backward),
    {0},
};

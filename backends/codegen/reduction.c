// reduction: sums, means, extremes, variances and norms over any dimensions.
#include <math.h>
#include <string.h>

#include "backends/common/conventions.h"
#include "tables.h"

// For slices of at least this size, a single pass is worth its slightly larger error.
enum { ONE_PASS_BYTES = 256 << 10 };

struct reduction {
    enum reduced_type type;
    void (*describe)(struct kernel *kernel, double order);
    bool needs_elements;  // an empty slice has no largest element
    const char *as;       // expression that is folded
    enum folding folding;
    const char *then;  // expression of the result, from `total`
};

static int64_t slice_length(const struct kernel *kernel)
{
    int64_t length = 1;
    for (int d = 0; d < kernel->ndim; d++)
        length *= kernel->reduced >> d & 1 ? kernel->shape[d] : 1;
    return length;
}

// The first element of each slice.
static void add_pivot(struct kernel *kernel)
{
    struct operand pivot = kernel->inputs[0];
    strcpy(pivot.name, "pivot");
    for (int d = 0; d < kernel->ndim; d++)
        pivot.strides[d] = kernel->reduced >> d & 1 ? 0 : pivot.strides[d];
    kernel->inputs[kernel->input_count++] = pivot;
}

// The mean of the slice, then the sum of squared distances from it. If these are small compared
// with the mean, or with the subtracted value, too many of their digits are rounding errors. Taking
// the distances from an element of the slice first reduces these errors. Only f64 does so, because
// it takes up to a fifth longer, and f32 has its guard.
void describe_moments(struct kernel *kernel)
{
    int64_t length = slice_length(kernel), bytes = length * (int64_t)kernel->computed->size;
    bool has_pivot = length > 0 && (bytes > ONE_PASS_BYTES || kernel->computed->size > 4);
    kernel_number(kernel, "n", (double)length);
    struct stage *stage = kernel_stage(kernel);
    if (has_pivot)
        add_pivot(kernel);
    stage_fold(stage, "total", SUM, has_pivot ? "x - pivot" : "x");
    stage_define(stage, "mean", has_pivot ? "pivot + total / n" : "total / n");
    if (bytes <= ONE_PASS_BYTES) {
        stage = kernel_stage(kernel);
        stage_fold(stage, "squares", SUM, "(x - mean) * (x - mean)");
        stage_define(stage, "spread", "squares");
        stage_guard(kernel, stage,
                    "unbounded(spread) | drowned(spread, mean * mean * n, 0x1p-14f)");
        return;
    }
    stage_fold(stage, "squares", SUM, "(x - pivot) * (x - pivot)");
    stage_define(stage, "spread", "larger(squares - total * (total / n), splat(0))");
    stage_guard(kernel, stage, "unbounded(spread) | drowned(spread, squares, 0x1p-9f)");
}

static void variance(struct kernel *kernel, double correction)
{
    describe_moments(kernel);
    double freedom = (double)slice_length(kernel) - correction;
    kernel_number(kernel, "freedom", freedom > 0 ? freedom : 0);
    struct stage *stage = &kernel->stages[kernel->stage_count - 1];
    stage_save(stage, 0, "spread / freedom");
    if (slice_length(kernel) < 2)
        stage->guard = NULL;  // it is 0 or NaN
    else if (kernel->stage_count > 1)
        stage_guard(kernel, stage,
                    "unreliable(spread) | drowned(spread, mean * mean * n, 0x1p-14f)");
    else
        stage_guard(kernel, stage, "unreliable(spread) | drowned(spread, squares, 0x1p-9f)");
    if (kernel->output_count > 1)
        stage_save(stage, 1, "mean");
}

static void deviation(struct kernel *kernel, double correction)
{
    variance(kernel, correction);
    kernel->stages[kernel->stage_count - 1].saves[0].as = "root(spread / freedom)";
}

static void norm(struct kernel *kernel, double order)
{
    static const struct {
        double order;
        enum folding folding;
        const char *as, *then, *guard;
    } known[] = {
        {2, SUM, "x * x", "root(total)", "unreliable(total)"},
        {1, SUM, "magnitude(x)", "total", "unbounded(total)"},
        {0, SUM, "pick(x != 0, splat(1), splat(0))", "total", NULL},
        {INFINITY, LARGEST, "magnitude(x)", "total", NULL},
        {-INFINITY, SMALLEST, "magnitude(x)", "total", NULL},
    };
    size_t count = sizeof known / sizeof *known, which = 0;
    while (which < count && known[which].order != order)
        which++;
    struct stage *stage = kernel_stage(kernel);
    kernel_number(kernel, "order", order);
    if (slice_length(kernel) == 0) {
        stage_fold(stage, "total", SUM, "x");  // whatever the order, as in ATen
        stage_save(stage, 0, "total");
    } else if (which < count) {
        stage_fold(stage, "total", known[which].folding, known[which].as);
        stage_save(stage, 0, known[which].then);
        stage_guard(kernel, stage, known[which].guard);
    } else {
        stage_fold(stage, "total", SUM, "power(magnitude(x), order)");
        stage_save(stage, 0, "power(total, 1 / order)");
        stage_guard(kernel, stage, "unreliable(total)");
    }
}

// Adds a result of the kept dimensions; its strides in the space of `x` go to `strides`.
static int add_reduced(struct plan *plan, const struct view *x, uint32_t set, bool keeps,
                       const struct dtype *type, int64_t *strides)
{
    int64_t shape[BILANX_MAX_DIMENSIONS], stride = 1;
    int ndim = 0;
    for (int d = 0; d < x->ndim; d++) {
        bool is_reduced = set >> d & 1;
        if (!is_reduced || keeps)
            shape[ndim++] = is_reduced ? 1 : x->shape[d];
    }
    for (int d = x->ndim - 1; d >= 0; d--) {
        bool is_reduced = set >> d & 1;
        strides[d] = is_reduced ? 0 : stride;
        stride *= is_reduced || x->shape[d] == 0 ? 1 : x->shape[d];
    }
    return plan_result(plan, type, ndim, shape, NULL);
}

static double order_of(const struct frame *frame)
{
    double correction = argument_real(frame, "correction", argument_real(frame, "unbiased", 1));
    return argument_real(
        frame, "p",
        argument_real(frame, "ord", strstr(frame->routine->base, "norm") ? 2 : correction));
}

static const char *plan_reduction(struct frame *frame)
{
    const struct reduction *how = frame->routine->how;
    struct view x;
    if (!argument_view(frame, "self", &x))
        return "needs a tensor";
    if (has_argument(frame, "dtype") && !argument_type(frame, "dtype", NULL))
        return "an unknown type";
    if (!has_dimension(frame, "dim", &x))
        return "no such dimension";
    const struct dtype *type = reduced_type(frame, how->type, x.type);
    if (how->type == TYPE_REAL && (type->kind != DTYPE_REAL || x.type->kind != DTYPE_REAL))
        return "integers";
    if (how->type == TYPE_SUMMED && type->kind == DTYPE_INTEGER && x.type->kind == DTYPE_REAL)
        return "real numbers to integers";
    const struct dtype *computed =
        how->type == TYPE_TRUTH || how->type == TYPE_SAME ? x.type : type;
    if (x.type->kind == DTYPE_REAL && x.type->size == 2 && computed_type(computed)->size != 4)
        return "half types with other types";
    const char *problem = check_elements(frame, &x, how->needs_elements);
    if (problem)
        return problem;
    uint32_t set = reduced_dimensions(frame, &x);
    struct plan *plan = plan_new(frame);
    struct kernel *kernel = plan_kernel(plan, computed, x.ndim, x.shape);
    kernel->reduced = set;
    kernel_tensor(plan, kernel, "x", &x);
    bool keeps = argument_integer(frame, "keepdim", 0);
    int results = strstr(frame->routine->base, "_mean") ? 2 : 1;
    for (int i = 0; i < results; i++) {
        int64_t strides[BILANX_MAX_DIMENSIONS];
        int pointer = add_reduced(plan, &x, set, keeps, type, strides);
        kernel_output(kernel, type, pointer, strides);
    }
    if (how->describe) {
        how->describe(kernel, order_of(frame));
        return NULL;
    }
    kernel_number(kernel, "n", (double)slice_length(kernel));
    struct stage *stage = kernel_stage(kernel);
    stage_fold(stage, "total", how->folding, how->as);
    stage_save(stage, 0, how->then);
    if (how->folding == SUM || how->folding == PRODUCT)
        stage_guard(kernel, stage, "unbounded(total)");
    return NULL;
}

#define ROW(base_, overloads_, schema_, ...)                                                \
    {                                                                                       \
        .base = base_, .overloads = overloads_, .schema = schema_, .check = plan_reduction, \
        .forget = forget_plan, .how = &(const struct reduction)                             \
        {                                                                                   \
            __VA_ARGS__                                                                     \
        }                                                                                   \
    }
#define EXTREME(folding_, name) .type = TYPE_SAME, .needs_elements = true, FOLD(folding_, "x", name)
#define FOLD(folding_, as_, then_) .folding = folding_, .as = as_, .then = then_
#define TRUTHS "pick((M)(x != 0), splat(1), splat(0))"

const struct routine reduction_routines[] = {
    ROW("sum", "default", "self dtype", TYPE_SUMMED, FOLD(SUM, "x", "total")),
    ROW("sum", "dim_IntList SymInt", "self dim keepdim dtype", TYPE_SUMMED,
        FOLD(SUM, "x", "total")),
    ROW("mean", "default", "self dtype", TYPE_REAL, FOLD(SUM, "x", "total / n")),
    ROW("mean", "dim", "self dim keepdim dtype", TYPE_REAL, FOLD(SUM, "x", "total / n")),
    ROW("prod", "default", "self dtype", TYPE_SUMMED, FOLD(PRODUCT, "x", "total")),
    ROW("prod", "dim_int", "self dim keepdim dtype", TYPE_SUMMED, FOLD(PRODUCT, "x", "total")),
    ROW("amax", "default", "self dim keepdim", EXTREME(LARGEST, "total")),
    ROW("amin", "default", "self dim keepdim", EXTREME(SMALLEST, "total")),
    ROW("max", "default", "self", EXTREME(LARGEST, "total")),
    ROW("min", "default", "self", EXTREME(SMALLEST, "total")),
    ROW("any", "default", "self", TYPE_TRUTH,
        FOLD(LARGEST, TRUTHS, "pick((M)(total > 0), splat(1), splat(0))")),
    ROW("any", "dim", "self dim keepdim", TYPE_TRUTH,
        FOLD(LARGEST, TRUTHS, "pick((M)(total > 0), splat(1), splat(0))")),
    ROW("all", "default", "self", TYPE_TRUTH,
        FOLD(SMALLEST, TRUTHS, "pick((M)(total > 0), splat(1), splat(0))")),
    ROW("all", "dim", "self dim keepdim", TYPE_TRUTH,
        FOLD(SMALLEST, TRUTHS, "pick((M)(total > 0), splat(1), splat(0))")),
    ROW("var", "default", "self unbiased", TYPE_REAL, variance),
    ROW("var", "dim", "self dim unbiased keepdim", TYPE_REAL, variance),
    ROW("var", "correction", "self dim correction keepdim", TYPE_REAL, variance),
    ROW("std", "default", "self unbiased", TYPE_REAL, deviation),
    ROW("std", "dim", "self dim unbiased keepdim", TYPE_REAL, deviation),
    ROW("std", "correction", "self dim correction keepdim", TYPE_REAL, deviation),
    ROW("var_mean", "correction", "self dim correction keepdim", TYPE_REAL, variance),
    ROW("std_mean", "correction", "self dim correction keepdim", TYPE_REAL, deviation),
    ROW("norm", "Scalar", "self p", TYPE_REAL, norm),
    ROW("norm", "ScalarOpt_dim", "self p dim keepdim", TYPE_REAL, norm),
    ROW("linalg_vector_norm", "default", "self ord dim keepdim dtype", TYPE_REAL, norm),
    {0},
};

// matmul: matrix products.
#include <string.h>

#include "backends/common/product.h"
#include "task.h"

// A batch of one is passed as a matrix, because oneDNN is faster with two dimensions.
static struct view flat(const struct view *view)
{
    return view->shape[0] == 1 ? view_select(view, 0, 0) : *view;
}

static struct view result_view(const struct product *product)
{
    int64_t shape[] = {product->batch, product->rows, product->columns};
    struct view view = task_view(product->a.type, 3, shape);
    return flat(&view);
}

// An addend of one row is a bias; any other is added to what is already in the result.
static bool is_bias(const struct product *product)
{
    return product->has_addend && product->beta == 1 && product->addend.strides[0] == 0 &&
           (product->addend.strides[1] == 0 || product->rows == 1) &&
           (product->addend.strides[2] == 1 || product->columns == 1);
}

static struct view bias_view(const struct product *product)
{
    struct view view = product->addend;
    view.shape[0] = view.shape[1] = 1;
    view.strides[0] = view.strides[1] = product->columns;
    view.strides[2] = 1;
    return product->batch == 1 ? view_select(&view, 0, 0) : view;
}

static dnnl_status_t build(struct frame *frame, const struct product *product)
{
    struct task *task = task_new(frame, 1);
    struct view a = flat(&product->a), b = flat(&product->b), out = result_view(product);
    struct view bias = {0};
    struct description descriptions[4] = {0};
    bool biased = is_bias(product);
    dnnl_status_t status = dnnl_success;
    if (product->has_addend && !biased && product->beta != 0)
        status = describe_sum(&task->attributes, (float)product->beta);
    if (status == dnnl_success)
        status = description_of(&descriptions[0], &a, true);
    if (status == dnnl_success)
        status = description_of(&descriptions[1], &b, true);
    if (status == dnnl_success && biased) {
        bias = bias_view(product);
        status = description_of(&descriptions[2], &bias, false);
    }
    if (status == dnnl_success)
        status = description_of(&descriptions[3], &out, false);
    struct setting setting = task_setting(frame, task);
    if (status == dnnl_success)
        status = describe_product(&setting, description_layout(&descriptions[0]),
                                  description_layout(&descriptions[1]),
                                  description_layout(&descriptions[2]),
                                  description_layout(&descriptions[3]), &task->description);
    for (int i = 0; i < 4; i++)
        description_done(&descriptions[i]);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC, &a, false, dnnl_query_src_md);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_WEIGHTS, &b, false, dnnl_query_weights_md);
    if (status == dnnl_success && biased)
        status = task_add(frame, task, DNNL_ARG_BIAS, &bias, false, dnnl_query_undef);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DST, &out, true, dnnl_query_dst_md);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check(struct frame *frame)
{
    struct product product;
    const char *problem = product_of(frame, &product);
    if (problem)
        return problem;
    if (product.alpha != 1)
        return "a factor";
    if (product.has_addend && product.addend.type != product.a.type)
        return "two types";
    return task_reason(build(frame, &product));
}

static const char *run(struct frame *frame)
{
    struct task *task = frame->cache;
    struct product product;
    product_of(frame, &product);
    struct view result = add_result(frame, product.a.type, product.ndim, product.shape, NULL);
    if (product.has_addend && product.beta != 0 && !is_bias(&product)) {
        int64_t shape[] = {product.batch, product.rows, product.columns};
        struct view wide = task_view(result.type, 3, shape);
        wide.data = result.data;
        view_copy(&wide, &product.addend);
    }
    task_bind(task, DNNL_ARG_SRC, product.a.data);
    task_bind(task, DNNL_ARG_WEIGHTS, product.b.data);
    task_bind(task, DNNL_ARG_BIAS, product.addend.data);
    task_bind(task, DNNL_ARG_DST, result.data);
    return task_run(frame, task);
}

const struct routine matmul_routines[] = {
    PRODUCT_ROUTINES(.check = check, .run = run, .forget = task_forget), {0}};

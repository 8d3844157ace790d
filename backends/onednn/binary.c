// binary: functions of two tensors, the second of which may be broadcast.
#include <string.h>

#include "task.h"

struct binary {
    dnnl_alg_kind_t kind;
};

// The second operand with as many dimensions as the first.
static bool take(const struct frame *frame, struct view *a, struct view *b)
{
    if (!argument_view(frame, "self", a) || !argument_view(frame, "other", b) ||
        b->ndim > a->ndim || a->type != b->type)
        return false;
    while (b->ndim < a->ndim)
        *b = view_insert(b, 0, 1, 0);
    for (int d = 0; d < a->ndim; d++)
        if (b->shape[d] != 1 && b->shape[d] != a->shape[d])
            return false;
    return true;
}

static dnnl_status_t build(struct frame *frame, const struct view *a, const struct view *b)
{
    const struct binary *how = frame->routine->how;
    struct task *task = task_new(frame, 1);
    struct view dense = task_dense(a), other = task_dense(b);
    struct description first = {0}, second = {0};
    struct setting setting = task_setting(frame, task);
    dnnl_status_t status = description_of(&first, &dense, false);
    if (status == dnnl_success)
        status = description_of(&second, &other, false);
    if (status == dnnl_success)
        status = describe_binary(&setting, how->kind, description_layout(&first),
                                 description_layout(&second), description_layout(&first),
                                 &task->description);
    description_done(&first);
    description_done(&second);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC_0, a, false, dnnl_query_undef);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_SRC_1, b, false, dnnl_query_undef);
    if (status == dnnl_success)
        status = task_add(frame, task, DNNL_ARG_DST, &dense, true, dnnl_query_undef);
    return status == dnnl_success ? task_finish(task) : status;
}

static const char *check(struct frame *frame)
{
    struct view a, b;
    if (!take(frame, &a, &b))
        return "operands that are not of one type and shape";
    if (argument_real(frame, "alpha", 1) != 1)
        return "a factor";
    if (frame->in_place && !task_is_dense(&a))
        return "gaps in memory";
    return task_reason(build(frame, &a, &b));
}

static const char *run(struct frame *frame)
{
    struct task *task = frame->cache;
    struct view a, b;
    take(frame, &a, &b);
    void *out = a.data;
    if (frame->in_place)
        frame->values[frame->result_count++] = frame->call->arguments[0];
    else
        out = add_result_like(frame, a.type, &a).data;
    task_bind(task, DNNL_ARG_SRC_0, a.data);
    task_bind(task, DNNL_ARG_SRC_1, b.data);
    task_bind(task, DNNL_ARG_DST, out);
    return task_run(frame, task);
}

#define ROW(base_, overloads_, schema_, kind_)                                                 \
    {                                                                                          \
        .base = base_, .overloads = overloads_, .schema = schema_, .check = check, .run = run, \
        .forget = task_forget, .in_place = true, .how = &(const struct binary)                 \
        {                                                                                      \
            kind_                                                                              \
        }                                                                                      \
    }

const struct routine binary_routines[] = {
    ROW("add", "Tensor", "self other alpha", dnnl_binary_add),
    ROW("sub", "Tensor", "self other alpha", dnnl_binary_sub),
    ROW("mul", "Tensor", "self other", dnnl_binary_mul),
    ROW("div", "Tensor", "self other", dnnl_binary_div),
    ROW("maximum", "default", "self other", dnnl_binary_max),
    ROW("minimum", "default", "self other", dnnl_binary_min),
    {0},
};

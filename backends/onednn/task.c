// task: memories, reorders and the primitive between them.
#include "task.h"

#include <stdlib.h>
#include <string.h>

#define TRY(expression)                          \
    do {                                         \
        dnnl_status_t try_status = (expression); \
        if (try_status != dnnl_success)          \
            return try_status;                   \
    } while (0)

struct setting task_setting(const struct frame *frame, const struct task *task)
{
    const struct onednn *onednn = (const struct onednn *)frame->backend;
    return (struct setting){onednn->engine, task->hint, task->attributes};
}

struct view task_view(const struct dtype *type, int ndim, const int64_t *shape)
{
    struct view view = {.type = type, .ndim = ndim};
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        view.shape[d] = shape[d];
        view.strides[d] = stride;
        stride *= shape[d];
    }
    return view;
}

struct view task_dense(const struct view *like)
{
    struct view view = *like;
    view.data = NULL;
    view_strides_like(like, view.strides);
    return view;
}

bool task_is_dense(const struct view *view)
{
    int64_t strides[BILANX_MAX_DIMENSIONS];
    view_strides_like(view, strides);
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] != 1 && view->strides[d] != strides[d])
            return false;
    return true;
}

// oneDNN requires strides that do not repeat elements.
static bool repeats(const struct view *view)
{
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] != 1 && view->strides[d] <= 0)
            return true;
    return false;
}

static dnnl_status_t join(dnnl_engine_t engine, struct port *port, layout inside)
{
    dnnl_primitive_desc_t description;
    layout outside = description_layout(&port->description);
    TRY(dnnl_memory_create(&port->inside, inside, engine, DNNL_MEMORY_ALLOCATE));
    TRY(dnnl_reorder_primitive_desc_create(&description, port->is_output ? inside : outside, engine,
                                           port->is_output ? outside : inside, engine, NULL));
    dnnl_status_t status = dnnl_primitive_create(&port->reorder, description);
    dnnl_primitive_desc_destroy(description);
    return status;
}

dnnl_status_t task_add(const struct frame *frame, struct task *task, int argument,
                       const struct view *view, bool is_output, dnnl_query_t wanted)
{
    const struct onednn *onednn = (const struct onednn *)frame->backend;
    struct port *port = &task->ports[task->count++];
    *port = (struct port){.argument = argument, .is_output = is_output, .view = *view};
    struct view given = *view;
    if (!is_output && (repeats(view) || (wanted == dnnl_query_undef && !task_is_dense(view)))) {
        port->dense = given = task_dense(view);
        port->copy =
            aligned_alloc(64, ((size_t)view_count(view) * view->type->size + 63) / 64 * 64);
        if (!port->copy)
            return dnnl_out_of_memory;
    }
    TRY(description_of(&port->description, &given, false));
    layout outside = description_layout(&port->description), inside = outside;
    TRY(dnnl_memory_create(&port->outside, outside, onednn->engine, DNNL_MEMORY_NONE));
    if (wanted != dnnl_query_undef)
        inside = dnnl_primitive_desc_query_md(task->description, wanted, 0);
    if (!inside)
        return dnnl_unimplemented;
    if (dnnl_memory_desc_equal(inside, outside))
        port->inside = port->outside;
    else
        TRY(join(onednn->engine, port, inside));
    return dnnl_success;
}

dnnl_status_t task_finish(struct task *task)
{
    return dnnl_primitive_create(&task->primitive, task->description);
}

void task_bind(struct task *task, int argument, void *data)
{
    for (int i = 0; i < task->count; i++)
        if (task->ports[i].argument == argument)
            task->ports[i].view.data = data;
}

static dnnl_status_t reorder(const struct port *port, dnnl_stream_t stream)
{
    if (!port->reorder)
        return dnnl_success;
    dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_FROM, port->is_output ? port->inside : port->outside},
        {DNNL_ARG_TO, port->is_output ? port->outside : port->inside},
    };
    return dnnl_primitive_execute(port->reorder, stream, 2, arguments);
}

static dnnl_status_t enter(struct port *port, dnnl_stream_t stream)
{
    void *data = port->view.data;
    if (port->copy) {
        port->dense.data = port->copy;
        view_copy(&port->dense, &port->view);
        data = port->copy;
    }
    TRY(dnnl_memory_set_data_handle(port->outside, data));
    return port->is_output ? dnnl_success : reorder(port, stream);
}

static dnnl_status_t execute(const struct onednn *onednn, struct task *task)
{
    dnnl_exec_arg_t arguments[TASK_PORTS];
    for (int i = 0; i < task->count; i++) {
        TRY(enter(&task->ports[i], onednn->stream));
        arguments[i] = (dnnl_exec_arg_t){task->ports[i].argument, task->ports[i].inside};
    }
    TRY(dnnl_primitive_execute(task->primitive, onednn->stream, task->count, arguments));
    for (int i = 0; i < task->count; i++)
        if (task->ports[i].is_output)
            TRY(reorder(&task->ports[i], onednn->stream));
    return dnnl_stream_wait(onednn->stream);
}

const char *task_run(const struct frame *frame, struct task *task)
{
    return task_reason(execute((const struct onednn *)frame->backend, task));
}

void task_done(struct task *task)
{
    for (int i = 0; i < task->count; i++) {
        struct port *port = &task->ports[i];
        if (port->inside && port->inside != port->outside)
            dnnl_memory_destroy(port->inside);
        if (port->outside)
            dnnl_memory_destroy(port->outside);
        if (port->reorder)
            dnnl_primitive_destroy(port->reorder);
        description_done(&port->description);
        free(port->copy);
    }
    if (task->primitive)
        dnnl_primitive_destroy(task->primitive);
    if (task->description)
        dnnl_primitive_desc_destroy(task->description);
    if (task->hint)
        dnnl_primitive_desc_destroy(task->hint);
    if (task->attributes)
        dnnl_primitive_attr_destroy(task->attributes);
    *task = (struct task){0};
}

struct task *task_new(struct frame *frame, size_t count)
{
    frame->cache = calloc(count, sizeof(struct task));
    if (!frame->cache)
        abort();
    return frame->cache;
}

void task_forget(struct frame *frame)
{
    if (frame->cache)
        task_done(frame->cache);
    free(frame->cache);
    frame->cache = NULL;
}

void task_forget_two(struct frame *frame)
{
    if (frame->cache)
        task_done((struct task *)frame->cache + 1);
    task_forget(frame);
}

const char *task_reason(dnnl_status_t status)
{
    switch (status) {
    case dnnl_success:
        return NULL;
    case dnnl_unimplemented:
        return "oneDNN does not have it for this type or shape here";
    case dnnl_invalid_arguments:
        return "oneDNN refuses the arguments";
    case dnnl_out_of_memory:
        return "out of memory";
    default:
        return "oneDNN failed";
    }
}

static const char *unfit(const struct bilanx_value *value)
{
    if (value->kind != BILANX_TENSOR)
        return NULL;
    dnnl_data_type_t type;
    struct view view = view_of(value->tensor, value->is_bool);
    if (!description_type(view.type, &type))
        return "only f32, bf16 and f16";
    return view_count(&view) == 0 ? "no elements" : NULL;
}

const char *task_refuses(const struct bilanx_call *call)
{
    const char *reason = NULL;
    for (size_t i = 0; i < call->argument_count && !reason; i++)
        reason = unfit(&call->arguments[i]);
    return reason;
}

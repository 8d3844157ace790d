// task: a primitive of oneDNN with its memories, made once and run often.
//
// Tensors come in their own layouts. If the primitive prefers another layout, a reorder before or
// after it is part of the run, as it is for a caller with plain tensors.
#ifndef BACKENDS_ONEDNN_TASK_H
#define BACKENDS_ONEDNN_TASK_H

#include "descriptions.h"

struct onednn {
    struct table_backend table;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
};

enum { TASK_PORTS = 10 };

struct port {      // a tensor of a task
    int argument;  // DNNL_ARG_*
    bool is_output;
    struct view view;   // `data` changes from run to run
    struct view dense;  // a copy without repeated elements, if the view has some
    void *copy;
    struct description description;
    dnnl_memory_t outside, inside;  // the same, or joined by a reorder
    dnnl_primitive_t reorder;
};

struct task {
    dnnl_primitive_desc_t description, hint;
    dnnl_primitive_attr_t attributes;
    dnnl_primitive_t primitive;
    struct port ports[TASK_PORTS];
    int count;
};

struct setting task_setting(const struct frame *frame, const struct task *task);

// Adds a tensor. `wanted` says which of the primitive's layouts it gets; dnnl_query_undef: its own.
dnnl_status_t task_add(const struct frame *frame, struct task *task, int argument,
                       const struct view *view, bool is_output, dnnl_query_t wanted);
dnnl_status_t task_finish(struct task *task);  // after all tensors: makes the primitive
void task_bind(struct task *task, int argument, void *data);
const char *task_run(const struct frame *frame, struct task *task);
void task_done(struct task *task);

// `routine->forget` for a cache that is one task, and for a cache of two.
void task_forget(struct frame *frame);
void task_forget_two(struct frame *frame);
struct task *task_new(struct frame *frame, size_t count);  // becomes the frame's cache

// A view without data: contiguous, or in the order of `like`.
struct view task_view(const struct dtype *type, int ndim, const int64_t *shape);
struct view task_dense(const struct view *like);
bool task_is_dense(const struct view *view);

// Returns why oneDNN refused, or NULL for success.
const char *task_reason(dnnl_status_t status);
// Refuses tensors that no routine accepts: of other types, or without elements.
const char *task_refuses(const struct bilanx_call *call);

extern const struct routine convolution_routines[], pooling_routines[], eltwise_routines[],
    softmax_routines[], normalization_routines[], matmul_routines[], binary_routines[];

#endif

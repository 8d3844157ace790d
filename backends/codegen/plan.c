// plan: builds the kernels of a call.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel.h"

struct plan *plan_new(struct frame *frame)
{
    struct plan *plan = mem_new(struct plan);
    plan->frame = frame;
    frame->cache = plan;
    return plan;
}

void plan_free(struct plan *plan)
{
    for (struct kernel *next, *kernel = plan ? plan->kernels : NULL; kernel; kernel = next) {
        next = kernel->next;
        free(kernel);
    }
    free(plan);
}

static int add_pointer(struct plan *plan, void *pointer)
{
    if (plan->pointer_count == PLAN_POINTERS)
        return PLAN_POINTERS - 1;  // planners refuse calls with so many tensors
    plan->pointers[plan->pointer_count] = pointer;
    return plan->pointer_count++;
}

int plan_pointer(struct plan *plan, const struct view *view)
{
    return add_pointer(plan, view->data);
}

int plan_result(struct plan *plan, const struct dtype *type, int ndim, const int64_t *shape,
                const int64_t *strides)
{
    __typeof__(*plan->results) *result = &plan->results[plan->result_count++];
    result->type = type;
    result->ndim = ndim;
    int64_t stride = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        result->shape[d] = shape[d];
        result->strides[d] = strides ? strides[d] : stride;
        stride *= shape[d] > 0 ? shape[d] : 1;
    }
    return result->pointer = add_pointer(plan, NULL);
}

int plan_result_like(struct plan *plan, const struct dtype *type, const struct view *like)
{
    int64_t strides[BILANX_MAX_DIMENSIONS];
    view_strides_like(like, strides);
    return plan_result(plan, type, like->ndim, like->shape, strides);
}

void plan_return(struct plan *plan, int argument)
{
    plan->results[plan->result_count++].argument = argument;
}

const struct dtype *computed_type(const struct dtype *type)
{
    return type->kind == DTYPE_REAL && type->size < 4 ? dtype_find("f32") : type;
}

struct kernel *plan_kernel(struct plan *plan, const struct dtype *computed, int ndim,
                           const int64_t *shape)
{
    struct kernel *kernel = mem_new(struct kernel);
    kernel->computed = computed_type(computed);
    kernel->ndim = ndim;
    memcpy(kernel->shape, shape, (size_t)ndim * sizeof *shape);
    *(plan->last ? &plan->last->next : &plan->kernels) = kernel;
    plan->last = kernel;
    return kernel;
}

static struct operand *fill(struct operand *operand, const struct kernel *kernel,
                            const struct dtype *type, int pointer, const int64_t *strides)
{
    *operand = (struct operand){.type = type, .pointer = pointer, .via = -1};
    for (int d = 0; d < kernel->ndim; d++)
        operand->strides[d] = strides[d];
    return operand;
}

struct operand *kernel_input(struct kernel *kernel, const char *name, const struct dtype *type,
                             int pointer, const int64_t *strides)
{
    struct operand *operand = &kernel->inputs[kernel->input_count++];
    fill(operand, kernel, type, pointer, strides);
    snprintf(operand->name, sizeof operand->name, "%s", name);
    return operand;
}

struct operand *kernel_output(struct kernel *kernel, const struct dtype *type, int pointer,
                              const int64_t *strides)
{
    return fill(&kernel->outputs[kernel->output_count++], kernel, type, pointer, strides);
}

void plan_mark_results(struct plan *plan)
{
    for (struct kernel *kernel = plan->kernels; kernel; kernel = kernel->next)
        for (int o = 0; o < kernel->output_count; o++)
            for (int r = 0; r < plan->result_count; r++)
                if (plan->results[r].type && plan->results[r].pointer == kernel->outputs[o].pointer)
                    kernel->outputs[o].is_made = true;
}

struct operand *kernel_tensor(struct plan *plan, struct kernel *kernel, const char *name,
                              const struct view *view)
{
    struct view wide = view_broadcast(view, kernel->ndim, kernel->shape);
    return kernel_input(kernel, name, view->type, plan_pointer(plan, view), wide.strides);
}

void kernel_number(struct kernel *kernel, const char *name, double value)
{
    struct number *number = &kernel->numbers[kernel->number_count++];
    *number = (struct number){.real = value, .integer = (int64_t)value};
    snprintf(number->name, sizeof number->name, "%s", name);
}

struct stage *kernel_stage(struct kernel *kernel)
{
    return &kernel->stages[kernel->stage_count++];
}

void stage_fold(struct stage *stage, const char *name, enum folding folding, const char *as)
{
    stage->folds[stage->fold_count++] = (struct value){.name = name, .as = as, .folding = folding};
}

void stage_define(struct stage *stage, const char *name, const char *as)
{
    stage->defines[stage->define_count++] = (struct value){.name = name, .as = as};
}

void stage_save(struct stage *stage, int output, const char *as)
{
    stage->saves[stage->save_count++] = (struct value){.as = as, .output = output};
}

void stage_guard(const struct kernel *kernel, struct stage *stage, const char *mask)
{
    if (kernel->computed == dtype_find("f32"))
        stage->guard = mask;
}

bool same_shape(const struct view *one, const struct view *other)
{
    return one->ndim == other->ndim &&
           memcmp(one->shape, other->shape, (size_t)one->ndim * sizeof *one->shape) == 0;
}

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool mentions(const char *expression, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = expression; at && (at = strstr(at, name)); at += size)
        if ((at == expression || !is_part(at[-1])) && !is_part(at[size]))
            return true;
    return false;
}

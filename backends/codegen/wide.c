#include "wide.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct kept {  // an argument that is written to, such as a running mean
    int pointer;
    size_t bytes;
    char *copy;
};

struct wide {
    struct codegen *codegen;
    const struct plan *usual;  // its pointers are those that are used
    struct plan *plan;         // with the kernels in f64
    struct kept *kept;
    size_t kept_count, kept_room;
    void *library;
    kernel_function *function;
    struct bilanx_error error;  // of compiling it
};

static bool is_guarded(const struct plan *plan)
{
    for (const struct kernel *kernel = plan->kernels; kernel; kernel = kernel->next)
        for (int s = 0; s < kernel->stage_count; s++)
            if (kernel->stages[s].guard)
                return true;
    return false;
}

static struct kernel *widened(const struct kernel *kernel)
{
    struct kernel *wide = mem_new(struct kernel);
    *wide = *kernel;
    wide->computed = dtype_find("f64");
    wide->next = NULL;
    for (int s = 0; s < wide->stage_count; s++)
        wide->stages[s].guard = NULL;
    return wide;
}

static size_t bytes_of(const struct kernel *kernel, const struct operand *operand)
{
    int64_t reach = operand->offset + 1;
    for (int d = 0; d < kernel->ndim; d++) {
        if (kernel->shape[d] == 0 && operand->strides[d])
            return 0;
        reach += (kernel->shape[d] - 1) * (kernel->shape[d] ? operand->strides[d] : 0);
    }
    return (size_t)reach * operand->type->size;
}

static void keep_written(struct wide *wide, const struct kernel *kernel)
{
    for (int o = 0; o < kernel->output_count; o++) {
        const struct operand *output = &kernel->outputs[o];
        size_t bytes = bytes_of(kernel, output);
        if (output->is_made || bytes == 0)
            continue;
        mem_grow(wide->kept, wide->kept_count, &wide->kept_room);
        wide->kept[wide->kept_count++] =
            (struct kept){output->pointer, bytes, mem_array(char, bytes)};
    }
}

struct wide *wide_new(struct codegen *codegen, const struct plan *plan)
{
    if (!is_guarded(plan))
        return NULL;
    struct wide *wide = mem_new(struct wide);
    *wide = (struct wide){.codegen = codegen, .usual = plan, .plan = mem_new(struct plan)};
    *wide->plan = *plan;
    struct kernel **at = &wide->plan->kernels;
    for (const struct kernel *kernel = plan->kernels; kernel; kernel = kernel->next) {
        *at = widened(kernel);
        keep_written(wide, kernel);
        at = &(*at)->next;
    }
    return wide;
}

void wide_free(struct wide *wide)
{
    if (!wide)
        return;
    if (wide->library)
        dlclose(wide->library);
    for (size_t i = 0; i < wide->kept_count; i++)
        free(wide->kept[i].copy);
    free(wide->kept);
    plan_free(wide->plan);
    free(wide);
}

void wide_prepare(struct wide *wide)
{
    for (size_t i = 0; i < wide->kept_count; i++)
        memcpy(wide->kept[i].copy, wide->usual->pointers[wide->kept[i].pointer],
               wide->kept[i].bytes);
}

struct translation wide_translation(const struct wide *wide)
{
    return planned_translation(wide->codegen, wide->plan, &wide->codegen->settings);
}

static struct bilanx_error load(struct wide *wide)
{
    struct translation translation = wide_translation(wide);
    return translation_load(&translation, &wide->library, &wide->function);
}

const char *wide_run(struct wide *wide)
{
    wide->error = wide->function ? BILANX_SUCCESS : load(wide);
    if (wide->error.status != BILANX_OK)
        return wide->error.text;
    for (size_t i = 0; i < wide->kept_count; i++)
        memcpy(wide->usual->pointers[wide->kept[i].pointer], wide->kept[i].copy,
               wide->kept[i].bytes);
    wide->function(wide->usual->pointers);
    return NULL;
}

// chain: plans the steps of a chain, and fuses those that are pointwise into one kernel.
//
// The kernels of all steps visit the same space. Their operands get the number of the step in their
// names, and the result of a step becomes a value in a register.
#include "chain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tables.h"

bool is_chain(const struct bilanx_call *call)
{
    return strcmp(call->name, "bilanx.chain.default") == 0;
}

void chain_free(struct chain *chain)
{
    for (int i = 0; chain && i < chain->count; i++) {
        if (chain->steps[i].frame)
            frame_release(chain->steps[i].frame);
        free(chain->texts[i]);
    }
    free(chain);
}

// '<2>' stands for the result of the third step.
static bool is_reference(const struct bilanx_value *value, int *step)
{
    return value->kind == BILANX_TEXT && sscanf(value->text, "<%d>", step) == 1;
}

static bool is_keyword(const struct bilanx_value *value)
{
    return value->kind == BILANX_TUPLE && value->count == 2 &&
           value->items[0].kind == BILANX_TEXT && value->items[0].text[0] == '=';
}

static const char *take_argument(struct chain *chain, struct step *step,
                                 const struct bilanx_value *value)
{
    int of;
    if (is_keyword(value)) {
        step->keywords[step->call.keyword_count++] =
            (struct bilanx_keyword){value->items[0].text + 1, value->items[1]};
        return NULL;
    }
    struct bilanx_value *argument = &step->arguments[step->call.argument_count++];
    *argument = *value;
    if (!is_reference(value, &of))
        return NULL;
    if (of < 0 || of >= (int)(step - chain->steps))
        return "a step refers to one that does not come before it";
    struct step *earlier = &chain->steps[of];
    const struct plan *plan = earlier->frame->cache;
    const struct dtype *type = plan->kernels->outputs[0].type;
    *argument = (struct bilanx_value){
        .kind = BILANX_TENSOR, .tensor = &earlier->result, .is_bool = type->is_bool};
    return NULL;
}

// The result of a step, as a tensor that stands for it.
static void describe_result(struct chain *chain, struct step *step)
{
    const struct plan *plan = step->frame->cache;
    const struct kernel *kernel = plan->kernels;
    const struct operand *output = &kernel->outputs[0];
    memcpy(step->shape, kernel->shape, sizeof step->shape);
    memcpy(step->strides, output->strides, sizeof step->strides);
    step->result = (DLTensor){.data = &chain->marks[step - chain->steps],
                              .device = {.device_type = kDLCPU},
                              .dtype = output->type->type,
                              .ndim = kernel->ndim,
                              .shape = step->shape,
                              .strides = step->strides};
}

static bool is_pointwise(const struct plan *plan)
{
    const struct kernel *kernel = plan->kernels;
    return kernel && !kernel->next && kernel->stage_count == 1 && kernel->output_count == 1 &&
           !kernel->reduced && !kernel->pooling && kernel->stages[0].store;
}

static const char *add_step(struct chain *chain, struct table_backend *backend,
                            const struct bilanx_value *value)
{
    bool fits = (value->kind == BILANX_TUPLE || value->kind == BILANX_LIST) && value->count > 1 &&
                value->count <= CHAIN_ARGUMENTS && value->items[0].kind == BILANX_TEXT;
    if (!fits || chain->count == CHAIN_STEPS)
        return fits ? "too many steps" : "a step is not ('NAME', ARGUMENT...)";
    struct step *step = &chain->steps[chain->count];
    step->call = (struct bilanx_call){
        .name = value->items[0].text, .arguments = step->arguments, .keywords = step->keywords};
    const char *problem = NULL;
    for (size_t i = 1; i < value->count && !problem; i++)
        problem = take_argument(chain, step, &value->items[i]);
    if (problem)
        return problem;
    problem = frame_supports(backend, &step->call);
    void *frame = NULL;
    if (problem || frame_prepare(backend, &step->call, &frame).status != BILANX_OK)
        return problem ? problem : "a step cannot be planned";
    step->frame = frame;
    chain->count++;
    if (!is_pointwise(step->frame->cache))
        return "a step is not pointwise";
    describe_result(chain, step);
    return NULL;
}

const char *chain_open(struct table_backend *backend, const struct bilanx_call *call,
                       struct chain **out)
{
    struct chain *chain = mem_new(struct chain);
    const char *problem = call->argument_count ? NULL : "no steps";
    for (size_t i = 0; i < call->argument_count && !problem; i++)
        problem = add_step(chain, backend, &call->arguments[i]);
    if (problem) {
        chain_free(chain);
        return problem;
    }
    *out = chain;
    return NULL;
}

// ---- Fusing

static int step_of_mark(const struct chain *chain, const void *pointer)
{
    const char *mark = pointer;
    return mark >= chain->marks && mark < chain->marks + CHAIN_STEPS ? (int)(mark - chain->marks)
                                                                     : -1;
}

// Gives the name that an identifier of a step has in the fused kernel; false: it keeps its name.
static bool rename_word(const struct chain *chain, int step, const char *word, char out[48])
{
    const struct plan *plan = chain->steps[step].frame->cache;
    const struct kernel *kernel = plan->kernels;
    for (int i = 0; i < kernel->input_count; i++) {
        int of = step_of_mark(chain, plan->pointers[kernel->inputs[i].pointer]);
        if (strcmp(kernel->inputs[i].name, word) != 0)
            continue;
        if (of >= 0)
            snprintf(out, 48, "step%d", of);
        else
            snprintf(out, 48, "%.16s_%d", word, step);
        return true;
    }
    for (int i = 0; i < kernel->number_count; i++)
        if (strcmp(kernel->numbers[i].name, word) == 0) {
            snprintf(out, 48, "%.16s_%d", word, step);
            return true;
        }
    return false;
}

static char *renamed(const struct chain *chain, int step, const char *expression)
{
    AUTO(text) struct text out = {0};
    for (const char *at = expression; *at;) {
        char word[48], name[48];
        size_t size = 0;
        bool begins = isalpha((unsigned char)*at) || *at == '_';
        while (begins && (isalnum((unsigned char)at[size]) || at[size] == '_'))
            size++;
        if (!begins) {
            // Skips a number with its suffix: 0x1p3f is not a name.
            bool number = isdigit((unsigned char)*at);
            do
                text_add_char(&out, *at++);
            while (number && (isalnum((unsigned char)*at) || *at == '.'));
            continue;
        }
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        text_add(&out, rename_word(chain, step, word, name) ? name : word);
        at += size;
    }
    return text_take(&out);
}

static const char *add_operands(const struct chain *chain, int step, struct plan *plan,
                                struct kernel *fused)
{
    const struct plan *own = chain->steps[step].frame->cache;
    const struct kernel *kernel = own->kernels;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        if (step_of_mark(chain, own->pointers[input->pointer]) >= 0) {
            if (input->reading == AS_MASK)
                return "a mask is computed within the chain";
            continue;
        }
        if (fused->input_count == KERNEL_INPUTS)
            return "too many operands";
        struct view view = {.data = own->pointers[input->pointer]};
        struct operand *added = &fused->inputs[fused->input_count++];
        *added = *input;
        added->pointer = plan_pointer(plan, &view);
        snprintf(added->name, sizeof added->name, "%.16s_%d", input->name, step);
    }
    for (int i = 0; i < kernel->number_count; i++) {
        if (fused->number_count == KERNEL_NUMBERS)
            return "too many numbers";
        struct number *added = &fused->numbers[fused->number_count++];
        *added = kernel->numbers[i];
        snprintf(added->name, sizeof added->name, "%.16s_%d", kernel->numbers[i].name, step);
    }
    return NULL;
}

static const char *check_step(const struct chain *chain, int step, const struct kernel *last)
{
    const struct plan *plan = chain->steps[step].frame->cache;
    const struct kernel *kernel = plan->kernels;
    bool same_space =
        kernel->ndim == last->ndim &&
        memcmp(kernel->shape, last->shape, sizeof *last->shape * (size_t)last->ndim) == 0;
    bool writes = !plan->results[0].type;
    if (!same_space || kernel->computed != last->computed)
        return same_space ? "steps in different types" : "steps of different shapes";
    if (kernel->truth && step + 1 < chain->count)
        return "a comparison within the chain";
    if (writes && step_of_mark(chain, plan->pointers[kernel->outputs[0].pointer]) < 0)
        return "a step writes to its argument";
    return NULL;
}

static const char *fill(struct chain *chain, struct plan *plan)
{
    const struct plan *end = chain->steps[chain->count - 1].frame->cache;
    const struct kernel *last = end->kernels;
    const struct operand *output = &last->outputs[0];
    int pointer = plan_result(plan, output->type, last->ndim, last->shape, output->strides);
    struct kernel *fused = plan_kernel(plan, last->computed, last->ndim, last->shape);
    struct stage *stage = kernel_stage(fused);
    fused->truth = last->truth;
    for (int i = 0; i < chain->count; i++) {
        const char *problem = check_step(chain, i, last);
        if (!problem)
            problem = add_operands(chain, i, plan, fused);
        if (problem)
            return problem;
        const struct plan *own = chain->steps[i].frame->cache;
        chain->texts[i] = renamed(chain, i, own->kernels->stages[0].store);
        if (i + 1 == chain->count)
            stage->store = chain->texts[i];
        else
            stage->lets[stage->let_count++] = chain->texts[i];
    }
    kernel_output(fused, output->type, pointer, output->strides);
    return NULL;
}

const char *chain_fuse(struct chain *chain, struct table_backend *backend,
                       const struct bilanx_call *call, struct frame **out)
{
    static const struct routine routine = {.base = "chain", .schema = "", .forget = forget_plan};
    struct frame *frame = mem_new(struct frame);
    frame->call = call;
    frame->backend = backend;
    frame->routine = &routine;
    const char *problem = fill(chain, plan_new(frame));
    if (problem) {
        frame_release(frame);
        return problem;
    }
    *out = frame;
    return NULL;
}

// codegen: writes C for each call, compiles it, and runs it.
//
// A call is planned by `supports` and compiled by `prepare`. A run only allocates results and calls
// one function with an array of pointers.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "autotune.h"
#include "base/mem.h"
#include "planned.h"
#include "tables.h"
#include "wide.h"

enum { STREAMED_BYTES = 4 << 20 };  // size of a result that exceeds a core's own caches

static const struct routine *const tables[] = {
    pointwise_routines,
    reduction_routines,
    normalization_routines,
    copy_routines,
    index_routines,
    pooling_routines,
    NULL,
};

struct prepared {
    kernel_function *function;
    void **pointers;
    int made;  // results that are allocated
    struct bilanx_result made_results[FRAME_RESULTS];
    size_t bytes[FRAME_RESULTS];
    int places[FRAME_RESULTS];  // among the pointers
    const struct bilanx_host *host;
    struct bilanx_value values[FRAME_RESULTS];
    size_t value_count;
    bool is_list;
    struct planned planned;
    void *library;
    struct wide *wide;                    // NULL: its kernels have no guards
    struct prepared *apart[CHAIN_STEPS];  // its steps, if they are run one by one
    int apart_count;
};

static void release(void *given)
{
    struct prepared *prepared = given;
    if (!prepared)
        return;
    for (int i = 0; i < prepared->made && !prepared->apart_count; i++)
        bilanx_result_drop(&prepared->made_results[i], prepared->host);
    if (prepared->library)
        dlclose(prepared->library);
    for (int i = 0; i < prepared->apart_count; i++)
        release(prepared->apart[i]);
    wide_free(prepared->wide);
    planned_done(&prepared->planned);
    free(prepared);
}

static void hold_result(struct prepared *prepared, const struct plan *plan, int r)
{
    const __typeof__(*plan->results) *from = &plan->results[r];
    struct bilanx_value *value = &prepared->values[prepared->value_count++];
    if (!from->type) {
        const struct bilanx_value none = {.kind = BILANX_NONE};
        *value = from->argument >= 0 ? plan->frame->call->arguments[from->argument] : none;
        return;
    }
    struct bilanx_result *result = &prepared->made_results[prepared->made];
    memcpy(result->shape, from->shape, sizeof from->shape);
    memcpy(result->strides, from->strides, sizeof from->strides);
    result->is_bool = from->type->is_bool;
    result->tensor = (DLTensor){.device = {.device_type = kDLCPU},
                                .dtype = from->type->type,
                                .ndim = from->ndim,
                                .shape = result->shape,
                                .strides = result->strides};
    size_t bytes = (size_t)bilanx_elements(&result->tensor) * from->type->size;
    prepared->bytes[prepared->made] = bytes ? bytes : 1;
    prepared->places[prepared->made++] = from->pointer;
    *value = bilanx_result_value(result);
}

static int do_nothing(void *const *at)
{
    (void)at;
    return 0;
}

static const char *supports_chain(struct codegen *codegen, const struct bilanx_call *call)
{
    AUTO(planned) struct planned planned = {0};
    const char *problem = chain_open(&codegen->backend, call, &planned.chain);
    return problem ? problem : chain_fuse(planned.chain, &codegen->backend, call, &planned.frame);
}

static const char *supports(void *state, const struct bilanx_call *call)
{
    if (is_chain(call))
        return supports_chain(state, call);
    return is_null_call(call) ? NULL : frame_supports(state, call);
}

struct loaded {
    void *library;
    kernel_function *function;
    struct settings settings;
    const char *words;  // that they come from
};

static struct bilanx_error load(struct codegen *codegen, const struct plan *plan,
                                const struct settings *settings, struct loaded *out)
{
    struct translation translation = planned_translation(codegen, plan, settings);
    if (!translation.translator)
        return bilanx_backend_error(BILANX_E_SKIPPED, "there is no compiler '%s'", settings->cc);
    return translation_load(&translation, &out->library, &out->function);
}

static const char *run(void *given);

struct tuning_state {
    struct prepared *prepared;
    struct loaded loaded[16];
    int count;
};

static void use_candidate(void *context, int candidate)
{
    struct tuning_state *state = context;
    state->prepared->function = state->loaded[candidate].function;
}

static const char *run_candidate(void *context)
{
    return run(((struct tuning_state *)context)->prepared);
}

// Whether an earlier candidate has the same code.
static bool is_known(const struct tuning_state *state, const struct settings *settings)
{
    AUTO(text) struct text source = {0};
    planned_write(state->prepared->planned.plan, settings, &source);
    for (int i = 0; i < state->count; i++) {
        AUTO(text) struct text other = {0};
        const struct settings *given = &state->loaded[i].settings;
        planned_write(state->prepared->planned.plan, given, &other);
        if (strcmp(given->cc, settings->cc) == 0 && text_equal(text_get(&source), text_get(&other)))
            return true;
    }
    return false;
}

static void add_candidate(struct codegen *codegen, struct tuning_state *state, const char *words)
{
    struct loaded *candidate = &state->loaded[state->count];
    *candidate = (struct loaded){.words = words};
    if (settings_read(words, &codegen->usual, &candidate->settings).status != BILANX_OK ||
        is_known(state, &candidate->settings))
        return;
    const struct plan *plan = state->prepared->planned.plan;
    if (load(codegen, plan, &candidate->settings, candidate).status == BILANX_OK)
        state->count++;
}

// Finds the best settings for a call, in memory or by measuring all of them.
static void tune(struct codegen *codegen, struct prepared *prepared, struct settings *settings)
{
    const struct plan *plan = prepared->planned.plan;
    AUTO(memory) char *known = planned_recall(codegen, plan);
    if (known) {
        if (settings_read(known, &codegen->usual, settings).status != BILANX_OK)
            *settings = codegen->settings;
        return;
    }
    struct tuning_state state = {.prepared = prepared};
    add_candidate(codegen, &state, "");
    for (int i = 0; autotune_variants[i] && state.count; i++)
        add_candidate(codegen, &state, autotune_variants[i]);
    if (state.count > 1) {
        struct contest contest = {&state, use_candidate, run_candidate, state.count};
        int best = autotune_measure(&contest);
        AUTO(text) struct text source = {0};
        planned_write(plan, &codegen->settings, &source);
        *settings = state.loaded[best].settings;
        autotune_remember(&codegen->translators[0], &source, state.loaded[best].words);
    }
    for (int i = 0; i < state.count; i++)
        dlclose(state.loaded[i].library);
}

static struct bilanx_error prepare(void *state, const struct bilanx_call *call, void **out);

// Prepares each step as a separate call; run_apart() passes their results on.
static struct bilanx_error prepare_apart(void *state, struct prepared *prepared)
{
    const struct chain *chain = prepared->planned.chain;
    for (int i = 0; i < chain->count; i++) {
        void *step = NULL;
        BILANX_TRY(prepare(state, &chain->steps[i].call, &step));
        prepared->apart[prepared->apart_count++] = step;
    }
    return BILANX_SUCCESS;
}

// After a failure, everything allocated so far is released with `prepared`.
static struct bilanx_error prepare_in(struct codegen *codegen, const struct bilanx_call *call,
                                      struct prepared *prepared)
{
    BILANX_TRY(planned_open(codegen, call, &prepared->planned));
    struct plan *plan = prepared->planned.plan;
    prepared->host = codegen->backend.host;
    prepared->pointers = plan->pointers;
    prepared->is_list = plan->is_list;
    for (int i = 0; i < plan->result_count; i++)
        hold_result(prepared, plan, i);
    if (prepared->planned.chain && codegen->settings.apart)
        return prepare_apart(codegen, prepared);
    prepared->wide = wide_new(codegen, plan);
    struct settings settings = codegen->settings;
    if (settings.autotune)
        tune(codegen, prepared, &settings);
    struct loaded loaded = {0};
    BILANX_TRY(load(codegen, plan, &settings, &loaded));
    prepared->function = loaded.function;
    prepared->library = loaded.library;
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare(void *state, const struct bilanx_call *call, void **out)
{
    struct codegen *codegen = state;
    struct prepared *prepared = mem_new(struct prepared);
    struct bilanx_error error = BILANX_SUCCESS;
    if (is_null_call(call))
        prepared->function = do_nothing;
    else
        error = prepare_in(codegen, call, prepared);
    if (error.status == BILANX_OK)
        *out = prepared;
    else
        release(prepared);
    return error;
}

BILANX_API bilanx_backend_code_function bilanx_backend_code;

char *bilanx_backend_code(void *state, const struct bilanx_call *call)
{
    struct codegen *codegen = state;
    AUTO(planned) struct planned planned = {0};
    if (planned_open(codegen, call, &planned).status != BILANX_OK)
        return NULL;
    AUTO(text) struct text source = {0};
    planned_write(planned.plan, &codegen->settings, &source);
    return text_take(&source);
}

// If a step uses the result of another, its pointer in the plan is the mark of that result.
static const char *run_apart(struct prepared *prepared)
{
    const struct chain *chain = prepared->planned.chain;
    void *results[CHAIN_STEPS] = {0};
    for (int i = 0; i < prepared->apart_count; i++) {
        struct prepared *step = prepared->apart[i];
        const struct plan *marked = chain->steps[i].frame->cache;
        for (int k = 0; k < marked->pointer_count; k++)
            for (int of = 0; of < i; of++)
                if (marked->pointers[k] == &chain->marks[of])
                    step->pointers[k] = results[of];
        const char *problem = run(step);
        if (problem)
            return problem;
        results[i] = step->pointers[step->planned.plan->kernels->outputs[0].pointer];
    }
    return NULL;
}

static const char *run(void *given)
{
    struct prepared *prepared = given;
    if (prepared->apart_count)
        return run_apart(prepared);
    for (int i = 0; i < prepared->made; i++) {
        DLTensor *tensor = &prepared->made_results[i].tensor;
        if (tensor->data)
            prepared->host->release(tensor->data);
        tensor->data = prepared->host->allocate(prepared->bytes[i]);
        prepared->pointers[prepared->places[i]] = tensor->data;
    }
    if (prepared->wide)
        wide_prepare(prepared->wide);
    int result = prepared->function(prepared->pointers);
    if (result & KERNEL_BAD_INDEX)
        return "an index is out of range";
    return result & KERNEL_BEYOND ? wide_run(prepared->wide) : NULL;
}

static struct bilanx_error outputs(void *given, struct bilanx_value *out)
{
    struct prepared *prepared = given;
    if (prepared->apart_count) {
        // An operator that works in place has written to the result of an earlier step.
        struct prepared *last = prepared->apart[prepared->apart_count - 1];
        *out = prepared->values[0];
        out->tensor->data = last->pointers[last->planned.plan->kernels->outputs[0].pointer];
        return BILANX_SUCCESS;
    }
    if (prepared->value_count == 1 && !prepared->is_list)
        *out = prepared->values[0];
    else
        *out = (struct bilanx_value){
            .kind = BILANX_TUPLE, .items = prepared->values, .count = prepared->value_count};
    return BILANX_SUCCESS;
}

static void close_codegen(void *state)
{
    struct codegen *codegen = state;
    for (int i = 0; i < COMPILERS; i++)
        translator_done(&codegen->translators[i]);
    free(codegen);
}

static struct bilanx_error set_up(struct codegen *codegen, const char *config)
{
    const struct bilanx_host *host = codegen->backend.host;
    struct settings *settings = &codegen->settings;
    codegen->usual = settings_usual(host->threads);
    BILANX_TRY(settings_read(config, &codegen->usual, settings));
    BILANX_TRY(
        translator_init(&codegen->translators[0], settings->cc, settings->cflags, host->threads));
    if (autotune_streaming(&codegen->translators[0])) {
        codegen->usual.stream_least = STREAMED_BYTES;
        codegen->usual.stream_most = host->reused_bytes;
        // Again, because the answer is stored under the compiler, which was not known before.
        BILANX_TRY(settings_read(config, &codegen->usual, settings));
    }
    if (settings->autotune)  // the other compiler may be missing
        codegen->has[1] =
            translator_init(&codegen->translators[1], "clang", settings->cflags, host->threads)
                .status == BILANX_OK;
    return BILANX_SUCCESS;
}

static struct bilanx_error open_codegen(const struct bilanx_host *host, const char *config,
                                        void **state)
{
    struct codegen *codegen = mem_new(struct codegen);
    codegen->backend = (struct table_backend){.host = host, .tables = tables};
    struct bilanx_error error = set_up(codegen, config);
    if (error.status != BILANX_OK) {
        close_codegen(codegen);
        return error;
    }
    *state = codegen;
    return BILANX_SUCCESS;
}

BILANX_BACKEND(.name = "codegen", .about = "C generated and compiled for each call",
               .open = open_codegen, .close = close_codegen, .supports = supports,
               .prepare = prepare, .run = run, .outputs = outputs, .release = release)

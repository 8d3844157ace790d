// planned: calls with their plans, one by one, or many to be compiled ahead.
#include "planned.h"

#include <stdlib.h>
#include <string.h>

#include "autotune.h"
#include "base/mem.h"
#include "wide.h"

bool is_null_call(const struct bilanx_call *call)
{
    return strcmp(call->name, "bilanx.null.default") == 0;
}

void planned_done(struct planned *planned)
{
    if (planned->frame)
        frame_release(planned->frame);
    chain_free(planned->chain);
    *planned = (struct planned){0};
}

static struct bilanx_error open_chain(struct codegen *codegen, const struct bilanx_call *call,
                                      struct planned *out)
{
    const char *problem = chain_open(&codegen->backend, call, &out->chain);
    if (!problem)
        problem = chain_fuse(out->chain, &codegen->backend, call, &out->frame);
    return problem ? bilanx_backend_error(BILANX_E_USAGE, "'%s': %s", call->name, problem)
                   : BILANX_SUCCESS;
}

struct bilanx_error planned_open(struct codegen *codegen, const struct bilanx_call *call,
                                 struct planned *out)
{
    AUTO(planned) struct planned planned = {0};
    void *frame = NULL;
    if (is_chain(call)) {
        BILANX_TRY(open_chain(codegen, call, &planned));
    } else {
        BILANX_TRY(frame_prepare(codegen, call, &frame));
        planned.frame = frame;
    }
    planned.plan = planned.frame->cache;
    plan_mark_results(planned.plan);
    *out = planned;
    planned = (struct planned){0};
    return BILANX_SUCCESS;
}

static const struct translator *translator_of(struct codegen *codegen,
                                              const struct settings *settings)
{
    bool is_usual = strcmp(settings->cc, codegen->settings.cc) == 0;
    return is_usual ? &codegen->translators[0] : codegen->has[1] ? &codegen->translators[1] : NULL;
}

struct translation planned_translation(struct codegen *codegen, const struct plan *plan,
                                       const struct settings *settings)
{
    return (struct translation){translator_of(codegen, settings), plan, settings->tuning};
}

void planned_write(const struct plan *plan, const struct settings *settings, struct text *out)
{
    translation_write(&(struct translation){.plan = plan, .tuning = settings->tuning}, out);
}

char *planned_recall(struct codegen *codegen, const struct plan *plan)
{
    AUTO(text) struct text source = {0};
    planned_write(plan, &codegen->settings, &source);
    return autotune_recall(&codegen->translators[0], &source);
}

// ---- Ahead

struct ahead {  // compiled before it is prepared
    struct planned *planned;
    size_t planned_count, planned_room;
    struct wide **wides;  // of plans with guards; NULL for others
    size_t wide_count, wide_room;
    struct translation *translations;
    size_t count, room;
};

static void add(struct ahead *ahead, struct translation translation)
{
    if (!translation.translator)
        return;
    mem_grow(ahead->translations, ahead->count, &ahead->room);
    ahead->translations[ahead->count++] = translation;
}

static void want(struct codegen *codegen, const struct plan *plan, const struct settings *settings,
                 struct ahead *ahead)
{
    add(ahead, planned_translation(codegen, plan, settings));
}

static void want_wide(struct codegen *codegen, const struct plan *plan, struct ahead *ahead)
{
    mem_grow(ahead->wides, ahead->wide_count, &ahead->wide_room);
    struct wide *wide = ahead->wides[ahead->wide_count++] = wide_new(codegen, plan);
    if (wide)
        add(ahead, wide_translation(wide));
}

// With autotune, either the winner of an earlier run, or all candidates.
static void want_tuned(struct codegen *codegen, const struct plan *plan, struct ahead *ahead)
{
    struct settings settings;
    AUTO(memory) char *known = planned_recall(codegen, plan);
    if (known && settings_read(known, &codegen->usual, &settings).status == BILANX_OK) {
        want(codegen, plan, &settings, ahead);
        return;
    }
    want(codegen, plan, &codegen->settings, ahead);
    for (int i = 0; autotune_variants[i]; i++)
        if (settings_read(autotune_variants[i], &codegen->usual, &settings).status == BILANX_OK)
            want(codegen, plan, &settings, ahead);
}

static void want_call(struct codegen *codegen, const struct bilanx_call *call, struct ahead *ahead)
{
    struct planned planned;
    if (is_null_call(call) || planned_open(codegen, call, &planned).status != BILANX_OK)
        return;
    mem_grow(ahead->planned, ahead->planned_count, &ahead->planned_room);
    ahead->planned[ahead->planned_count++] = planned;
    if (planned.chain && codegen->settings.apart)
        for (int i = 0; i < planned.chain->count; i++)
            want_call(codegen, &planned.chain->steps[i].call, ahead);
    else if (codegen->settings.autotune)
        want_tuned(codegen, planned.plan, ahead);
    else
        want(codegen, planned.plan, &codegen->settings, ahead);
    want_wide(codegen, planned.plan, ahead);
}

BILANX_API bilanx_backend_compile_function bilanx_backend_compile;

void bilanx_backend_compile(void *state, const struct bilanx_call *const *calls, size_t count)
{
    struct ahead ahead = {0};
    for (size_t i = 0; i < count; i++)
        want_call(state, calls[i], &ahead);
    translations_compile(ahead.translations, ahead.count);
    for (size_t i = 0; i < ahead.wide_count; i++)
        wide_free(ahead.wides[i]);
    free(ahead.wides);
    for (size_t i = 0; i < ahead.planned_count; i++)
        planned_done(&ahead.planned[i]);
    free(ahead.planned);
    free(ahead.translations);
}

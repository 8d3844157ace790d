// frame: prepares, runs and releases calls by a table of routines.
#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether `word` is one of the words of `list`; `length` is that of the word.
static bool lists(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, word, length) == 0)
            return true;
        at += own;
    }
    return false;
}

static bool names_routine(const char *name, const struct routine *routine, bool *in_place)
{
    size_t base = strlen(routine->base);
    if (strncmp(name, "aten.", 5) != 0 || strncmp(name + 5, routine->base, base) != 0)
        return false;
    const char *rest = name + 5 + base;
    *in_place = routine->in_place && (*rest == '_' || routine->base[base - 1] == '_');
    if (*in_place && *rest == '_')
        rest++;
    return *rest == '.' && lists(routine->overloads, rest + 1, strlen(rest + 1));
}

static const struct routine *find(const struct table_backend *backend, const char *name,
                                  bool *in_place)
{
    for (const struct routine *const *table = backend->tables; *table; table++)
        for (const struct routine *routine = *table; routine->base; routine++)
            if (names_routine(name, routine, in_place))
                return routine;
    return NULL;
}

static bool is_complex_type(const char *word)
{
    word += strncmp(word, "torch.", 6) == 0 ? 6 : 0;
    const struct dtype *type = dtype_find(word);
    return strncmp(word, "complex", 7) == 0 || strcmp(word, "cfloat") == 0 ||
           strcmp(word, "cdouble") == 0 || (type && type->parts != 1);
}

static const char *unfit(const struct bilanx_value *value)
{
    if (value->kind == BILANX_WORD && is_complex_type(value->text))
        return "complex numbers";
    for (size_t i = 0; i < value->count; i++) {
        const char *reason = unfit(&value->items[i]);
        if (reason)
            return reason;
    }
    if (value->kind != BILANX_TENSOR)
        return NULL;
    const struct dtype *type = dtype_of(value->tensor->dtype, value->is_bool);
    if (value->sparse)
        return "sparse tensors";
    if (!type || type->parts != 1)
        return "complex numbers";
    return value->tensor->ndim >= BILANX_MAX_DIMENSIONS / 2 ? "too many dimensions" : NULL;
}

static const char *unfit_argument(const struct bilanx_call *call)
{
    const char *reason = NULL;
    for (size_t i = 0; i < call->argument_count && !reason; i++)
        reason = unfit(&call->arguments[i]);
    for (size_t i = 0; i < call->keyword_count && !reason; i++)
        reason = unfit(&call->keywords[i].value);
    return reason;
}

static const char *lacking(const struct frame *frame)
{
    const char *word = frame->routine->needs;
    while (word && *word) {
        char name[32];
        int length = (int)strcspn(word, " ");
        struct view view;
        snprintf(name, sizeof name, "%.*s", length, word);
        if (!argument_view(frame, name, &view))
            return "a tensor is missing";
        word += length;
        word += strspn(word, " ");
    }
    return NULL;
}

static size_t count_words(const char *list)
{
    size_t count = 0;
    for (const char *at = list; *at; at += strspn(at, " "), count++)
        at += strcspn(at, " ");
    return count;
}

// Whether the call has arguments that the operator does not have.
static const char *excess(const struct frame *frame)
{
    const struct bilanx_call *call = frame->call;
    if (call->argument_count > count_words(frame->routine->schema))
        return "too many arguments";
    for (size_t i = 0; i < call->keyword_count; i++)
        if (schema_position(frame->routine->schema, call->keywords[i].name) < 0)
            return "an unknown argument";
    return NULL;
}

// Whether the argument dim names dimensions that self does not have, or one twice.
static const char *misplaced(const struct frame *frame)
{
    int64_t dims[BILANX_MAX_DIMENSIONS];
    struct view self;
    if (!argument_view(frame, "self", &self))
        return NULL;
    int count = argument_integers(frame, "dim", dims), ndim = self.ndim > 1 ? self.ndim : 1;
    uint32_t seen = 0;
    for (int i = 0; i < count; i++) {
        if (dims[i] < -ndim || dims[i] >= ndim)
            return "a dimension that is not there";
        uint32_t bit = 1u << (dims[i] < 0 ? dims[i] + ndim : dims[i]);
        if (seen & bit)
            return "a dimension twice";
        seen |= bit;
    }
    return NULL;
}

static const char *begin(struct frame *frame, const struct table_backend *backend,
                         const struct bilanx_call *call)
{
    *frame = (struct frame){.call = call, .backend = backend};
    frame->routine = find(backend, call->name, &frame->in_place);
    if (!frame->routine)
        return "not written";
    const char *reason = unfit_argument(call);
    if (!reason)
        reason = excess(frame);
    if (!reason)
        reason = lacking(frame);
    if (!reason)
        reason = misplaced(frame);
    if (!reason && backend->refuses)
        reason = backend->refuses(call);
    return reason || !frame->routine->check ? reason : frame->routine->check(frame);
}

const char *frame_supports(void *state, const struct bilanx_call *call)
{
    struct frame frame;
    const char *reason = begin(&frame, state, call);
    if (frame.routine && frame.routine->forget)
        frame.routine->forget(&frame);
    return reason;
}

struct bilanx_error frame_prepare(void *state, const struct bilanx_call *call, void **prepared)
{
    struct frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return bilanx_backend_error(BILANX_E_SYSTEM, "out of memory");
    const char *reason = begin(frame, state, call);
    if (reason) {
        frame_release(frame);
        return bilanx_backend_error(BILANX_E_USAGE, "'%s': %s", call->name, reason);
    }
    *prepared = frame;
    return BILANX_SUCCESS;
}

static void drop_scratch(struct frame *frame)
{
    for (void *next; frame->scratch; frame->scratch = next) {
        next = *(void **)frame->scratch;
        free(frame->scratch);
    }
}

static void drop_results(struct frame *frame)
{
    for (size_t i = 0; i < FRAME_RESULTS; i++)
        bilanx_result_drop(&frame->results[i], frame->backend->host);
    frame->result_count = 0;
}

const char *frame_run(void *prepared)
{
    struct frame *frame = prepared;
    drop_results(frame);
    const char *problem = frame->routine->run(frame);
    drop_scratch(frame);
    return problem;
}

struct bilanx_error frame_outputs(void *prepared, struct bilanx_value *out)
{
    struct frame *frame = prepared;
    if (frame->result_count == 1 && !frame->is_list)
        *out = frame->values[0];
    else
        *out = (struct bilanx_value){
            .kind = BILANX_TUPLE, .items = frame->values, .count = frame->result_count};
    return BILANX_SUCCESS;
}

void frame_release(void *prepared)
{
    struct frame *frame = prepared;
    if (!frame)
        return;
    if (frame->routine && frame->routine->forget)
        frame->routine->forget(frame);
    drop_results(frame);
    drop_scratch(frame);
    free(frame);
}

struct view add_result(struct frame *frame, const struct dtype *type, int ndim,
                       const int64_t *shape, const int64_t *strides)
{
    struct bilanx_result *result = &frame->results[frame->result_count];
    bilanx_result_make(result, frame->backend->host, type->type, ndim, shape, strides);
    result->is_bool = type->is_bool;
    frame->values[frame->result_count++] = bilanx_result_value(result);
    return view_of(&result->tensor, type->is_bool);
}

struct view add_result_like(struct frame *frame, const struct dtype *type, const struct view *like)
{
    int64_t strides[BILANX_MAX_DIMENSIONS];
    view_strides_like(like, strides);
    return add_result(frame, type, like->ndim, like->shape, strides);
}

void add_argument_result(struct frame *frame, const char *name)
{
    frame->values[frame->result_count++] = *argument(frame, name);
}

void add_no_result(struct frame *frame)
{
    frame->values[frame->result_count++] = (struct bilanx_value){.kind = BILANX_NONE};
}

void *scratch(struct frame *frame, size_t bytes)
{
    enum { HEAD = 64 };
    void **memory = aligned_alloc(HEAD, (HEAD + bytes + HEAD - 1) / HEAD * HEAD);
    if (!memory)
        abort();
    *memory = frame->scratch;
    frame->scratch = memory;
    return (char *)memory + HEAD;
}

// A backend for the tests: relu and add of contiguous f32, and the ways in which a backend can
// fail.
//
// Its configuration says what: `crash`, `hang`, `wrong`, `fail` and `exit` affect calls whose first
// tensor has 13 elements in its first dimension, and so do `clip`, `flush` and `nan`, which are
// wrong for large, for tiny and for undefined numbers alone; `shape` returns another shape; `slow`
// is slow;
// `prepare-crash` crashes earlier; `refuse` is refused when it is opened, as is everything if
// TOY_HAS_NO_LIBRARY is in the environment.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bilanx/backend.h"

enum { MOST = 16, UNLUCKY = 13 };

struct state {
    const struct bilanx_host *host;
    char fault[32];
};

struct prepared {
    struct state *state;
    const struct bilanx_call *call;
    bool adds, in_place;
    DLTensor result;
    int64_t shape[MOST];
};

static struct bilanx_error fine(void)
{
    return (struct bilanx_error){.status = BILANX_OK};
}

static struct bilanx_error refused(const char *text)
{
    struct bilanx_error error = {.status = BILANX_E_INPUT};
    strncpy(error.text, text, sizeof error.text - 1);
    return error;
}

static struct bilanx_error open_state(const struct bilanx_host *host, const char *config,
                                      void **out)
{
    if (config && strcmp(config, "refuse") == 0)
        return refused("this configuration is not for you");
    if (getenv("TOY_HAS_NO_LIBRARY"))
        return (struct bilanx_error){BILANX_E_SYSTEM, "libtoy.so: no such file"};
    struct state *state = calloc(1, sizeof *state);
    state->host = host;
    strncpy(state->fault, config ? config : "", sizeof state->fault - 1);
    *out = state;
    return fine();
}

static bool is_plain(const struct bilanx_value *value)
{
    const DLTensor *tensor = value->kind == BILANX_TENSOR && !value->sparse ? value->tensor : NULL;
    if (!tensor || tensor->dtype.code != kDLFloat || tensor->dtype.bits != 32 ||
        tensor->ndim > MOST)
        return false;
    int64_t expected = 1;
    for (int d = tensor->ndim - 1; tensor->strides && d >= 0; d--) {
        if (tensor->shape[d] != 1 && tensor->strides[d] != expected)
            return false;
        expected *= tensor->shape[d];
    }
    return true;
}

static int64_t elements(const DLTensor *tensor)
{
    int64_t count = 1;
    for (int d = 0; d < tensor->ndim; d++)
        count *= tensor->shape[d];
    return count;
}

static bool is_add(const char *name)
{
    return strcmp(name, "aten.add.Tensor") == 0 || strcmp(name, "aten.add_.Tensor") == 0;
}

static const char *supports(void *opaque, const struct bilanx_call *call)
{
    (void)opaque;
    bool relu = strcmp(call->name, "aten.relu.default") == 0;
    if (!relu && !is_add(call->name))
        return "only relu and add are written";
    for (size_t i = 0; i < call->argument_count; i++)
        if (!is_plain(&call->arguments[i]))
            return "only contiguous f32";
    if (!relu && (call->argument_count != 2 ||
                  elements(call->arguments[0].tensor) != elements(call->arguments[1].tensor)))
        return "only tensors of one size";
    return NULL;
}

static bool has_fault(const struct prepared *prepared, const char *fault)
{
    const DLTensor *first = prepared->call->arguments[0].tensor;
    return strcmp(prepared->state->fault, fault) == 0 && first->ndim > 0 &&
           first->shape[0] == UNLUCKY;
}

static struct bilanx_error prepare(void *opaque, const struct bilanx_call *call, void **out)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    const DLTensor *first = call->arguments[0].tensor;
    prepared->state = opaque;
    prepared->call = call;
    prepared->adds = is_add(call->name);
    prepared->in_place = strcmp(call->name, "aten.add_.Tensor") == 0;
    prepared->result =
        (DLTensor){.dtype = first->dtype, .ndim = first->ndim, .shape = prepared->shape};
    for (int d = 0; d < first->ndim; d++)
        prepared->shape[d] = first->shape[d];
    if (has_fault(prepared, "prepare-crash"))
        abort();
    if (strcmp(prepared->state->fault, "shape") == 0 && first->ndim > 0)
        prepared->shape[0]--;
    *out = prepared;
    return fine();
}

static void nap(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static float faulty(const struct prepared *prepared, float x)
{
    if (has_fault(prepared, "clip") && x > 1e10f)
        return 1e10f;
    if (has_fault(prepared, "flush") && x > -1e-10f && x < 1e-10f)
        return 0;
    return has_fault(prepared, "nan") && x != x ? 0 : x;
}

static const char *run(void *opaque)
{
    struct prepared *prepared = opaque;
    const struct bilanx_host *host = prepared->state->host;
    const DLTensor *first = prepared->call->arguments[0].tensor;
    const float *a = (const float *)((const char *)first->data + first->byte_offset);
    const float *b = a;
    if (has_fault(prepared, "crash"))
        abort();
    if (has_fault(prepared, "exit"))
        _exit(3);
    if (has_fault(prepared, "fail"))
        return "thirteen is unlucky";
    while (has_fault(prepared, "hang"))
        pause();
    if (strcmp(prepared->state->fault, "slow") == 0)
        nap(200000);
    if (prepared->adds) {
        const DLTensor *second = prepared->call->arguments[1].tensor;
        b = (const float *)((const char *)second->data + second->byte_offset);
    }
    float *to = (float *)((char *)first->data + first->byte_offset);
    if (!prepared->in_place) {
        host->release(prepared->result.data);
        to = prepared->result.data = host->allocate((size_t)elements(first) * sizeof *to + 1);
    }
    for (int64_t i = 0, n = elements(first); i < n; i++)
        to[i] = prepared->adds ? a[i] + b[i] : a[i] > 0 ? a[i] : 0;
    if (has_fault(prepared, "wrong"))
        to[0] += 1;
    for (int64_t i = 0, n = elements(first); i < n; i++)
        to[i] = faulty(prepared, to[i]);
    return NULL;
}

static struct bilanx_error outputs(void *opaque, struct bilanx_value *out)
{
    struct prepared *prepared = opaque;
    *out = (struct bilanx_value){.kind = BILANX_TENSOR};
    out->tensor = prepared->in_place ? prepared->call->arguments[0].tensor : &prepared->result;
    return fine();
}

static void release(void *opaque)
{
    struct prepared *prepared = opaque;
    prepared->state->host->release(prepared->result.data);
    free(prepared);
}

static void close_state(void *opaque)
{
    free(opaque);
}

static void describe(void *opaque, char *out, size_t size)
{
    (void)opaque;
    strncpy(out, "toy 1.0", size - 1);
    out[size - 1] = '\0';
}

BILANX_BACKEND(.name = "toy", .about = "relu and add, for tests", .open = open_state,
               .supports = supports, .prepare = prepare, .run = run, .outputs = outputs,
               .release = release, .close = close_state, .describe = describe)

// A backend for `bilanx ops`: three activations by hand, on f32 in any layout.
//
//     cc -O3 -march=native -shared -fPIC activations.c -o activations.so $(pkg-config --cflags
//     bilanx) -lm bilanx ops LOG --backend reference --backend ./activations.so
#include <bilanx/backend_tools.h>
#include <math.h>
#include <stdlib.h>

typedef void loop(int64_t count, const float *x, float *y);

static void relu(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

static void sigmoid(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = 1 / (1 + expf(-x[i]));
}

static void silu(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] / (1 + expf(-x[i]));
}

static const struct {
    const char *name;
    loop *loop;
} operators[] = {
    {"aten.relu.default", relu},
    {"aten.sigmoid.default", sigmoid},
    {"aten.silu.default", silu},
};

static loop *find(const char *name)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].name, name) == 0)
            return operators[i].loop;
    return NULL;
}

// State that is kept between runs: everything that need not be timed.
struct prepared {
    const struct bilanx_host *host;
    loop *loop;
    const DLTensor *x;
    struct bilanx_result result;
};

static struct bilanx_error start(const struct bilanx_host *host, const char *config, void **state)
{
    if (config)
        return bilanx_backend_error(BILANX_E_USAGE, "activations: unknown configuration '%s'",
                                    config);
    *state = (void *)host;
    return BILANX_SUCCESS;
}

// Called before tensors have data, so it looks at types and shapes only.
static const char *supports(void *state, const struct bilanx_call *call)
{
    const DLTensor *x = bilanx_call_tensor(call, 0, "self");
    (void)state;
    if (!find(call->name))
        return "not one of its three operators";
    if (!x || !bilanx_is_f32(x))
        return "only f32";
    return bilanx_is_contiguous(x) ? NULL : "only contiguous tensors";
}

static struct bilanx_error prepare(void *state, const struct bilanx_call *call, void **prepared)
{
    struct prepared *own = calloc(1, sizeof *own);
    if (!own)
        return bilanx_backend_error(BILANX_E_SYSTEM, "out of memory");
    own->host = state;
    own->loop = find(call->name);
    own->x = bilanx_call_tensor(call, 0, "self");
    *prepared = own;
    return BILANX_SUCCESS;
}

// The part that is timed. The result of the run before is dropped when a new one is made.
static const char *run(void *prepared)
{
    struct prepared *own = prepared;
    DLTensor *y = bilanx_result_like(&own->result, own->host, own->x);
    own->loop(bilanx_elements(y), BILANX_DATA(const float, own->x), BILANX_DATA(float, y));
    return NULL;
}

static struct bilanx_error outputs(void *prepared, struct bilanx_value *out)
{
    struct prepared *own = prepared;
    *out = bilanx_result_value(&own->result);
    return BILANX_SUCCESS;
}

static void release(void *prepared)
{
    struct prepared *own = prepared;
    bilanx_result_drop(&own->result, own->host);
    free(own);
}

BILANX_BACKEND(.name = "activations", .about = "relu, sigmoid and silu by hand", .open = start,
               .supports = supports, .prepare = prepare, .run = run, .outputs = outputs,
               .release = release)

// onednn: operators by oneDNN's primitives, in the layouts that it prefers.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task.h"

static const struct routine *const tables[] = {
    convolution_routines, pooling_routines,       matmul_routines, eltwise_routines,
    softmax_routines,     normalization_routines, binary_routines, NULL,
};

// Its threads are those of the OpenMP library that it loads.
static void set_threads(int threads)
{
    void (*set)(int);
    void *address = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    memcpy(&set, &address, sizeof set);
    if (address)
        set(threads);
}

static void onednn_close(void *state)
{
    struct onednn *onednn = state;
    if (onednn->stream)
        dnnl_stream_destroy(onednn->stream);
    if (onednn->engine)
        dnnl_engine_destroy(onednn->engine);
    free(onednn);
}

static struct bilanx_error onednn_open(const struct bilanx_host *host, const char *config,
                                       void **state)
{
    if (config && *config)
        return bilanx_backend_error(BILANX_E_USAGE, "onednn: there is nothing to configure");
    struct onednn *onednn = calloc(1, sizeof *onednn);
    if (!onednn)
        return bilanx_backend_error(BILANX_E_SYSTEM, "out of memory");
    onednn->table = (struct table_backend){.host = host, .tables = tables, .refuses = task_refuses};
    set_threads(host->threads);
    if (dnnl_engine_create(&onednn->engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl_stream_create(&onednn->stream, onednn->engine, dnnl_stream_default_flags) !=
            dnnl_success) {
        onednn_close(onednn);
        return bilanx_backend_error(BILANX_E_SYSTEM, "onednn: there is no engine for a CPU");
    }
    *state = onednn;
    return BILANX_SUCCESS;
}

static void describe(void *state, char *out, size_t size)
{
    const dnnl_version_t *version = dnnl_version();
    (void)state;
    snprintf(out, size, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
}

BILANX_BACKEND(.name = "onednn", .about = "oneDNN's primitives", .open = onednn_open,
               .close = onednn_close, .describe = describe, FRAME_FUNCTIONS)

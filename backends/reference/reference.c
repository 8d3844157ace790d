// reference: operators in plain C over strided tensors, written to be obviously correct.
//
// Every routine computes in doubles, or in 64-bit integers, and rounds once at the end. It is much
// slower than a tuned library, because its purpose is to define the correct results.
#include <stdlib.h>

#include "tables.h"

static const struct routine *const tables[] = {
    pointwise_routines, reduction_routines, slice_routines, norm_routines, product_routines,
    copy_routines,      index_routines,     fill_routines,  loss_routines, convolution_routines,
    pooling_routines,   place_routines,     NULL,
};

static struct bilanx_error reference_open(const struct bilanx_host *host, const char *config,
                                          void **state)
{
    if (config && *config)
        return bilanx_backend_error(BILANX_E_USAGE, "reference: there is nothing to configure");
    struct table_backend *backend = malloc(sizeof *backend);
    if (!backend)
        return bilanx_backend_error(BILANX_E_SYSTEM, "out of memory");
    *backend = (struct table_backend){.host = host, .tables = tables};
    *state = backend;
    return BILANX_SUCCESS;
}

BILANX_BACKEND(.name = "reference", .about = "plain C, written to be obviously correct",
               .open = reference_open, .close = free, FRAME_FUNCTIONS)

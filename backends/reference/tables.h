// tables: all routines of the reference backend.
#ifndef BACKENDS_REFERENCE_TABLES_H
#define BACKENDS_REFERENCE_TABLES_H

#include "backends/common/frame.h"

extern const struct routine pointwise_routines[], reduction_routines[], slice_routines[],
    norm_routines[], product_routines[], copy_routines[], index_routines[], fill_routines[],
    loss_routines[], convolution_routines[], pooling_routines[], place_routines[];

#endif

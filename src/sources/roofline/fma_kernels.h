// fma_kernels: loops of fused multiply-adds only, with the widest vectors of the processor.
#ifndef ROOFLINE_FMA_KERNELS_H
#define ROOFLINE_FMA_KERNELS_H

#include <stdint.h>

// Runs `rounds` of 1024 steps. Returns how many floating-point operations that was.
double fma_run(uint64_t rounds);

#endif

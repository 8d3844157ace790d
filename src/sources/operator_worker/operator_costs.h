// operator_costs: estimates how much a call computes and moves.
#ifndef OPERATOR_WORKER_OPERATOR_COSTS_H
#define OPERATOR_WORKER_OPERATOR_COSTS_H

#include "sources/operator_worker/kept_results.h"

// Floating-point operations of matrix products and convolutions, from their shapes; for all others
// one per element of the largest tensor, which never makes arithmetic look like the limit.
double operator_flops(const struct bilanx_call *call, const struct kept_results *results);

// The minimum number of bytes that a call reads and writes: arguments and results, but only the
// elements found of a tensor that is looked up by index.
double operator_traffic(const struct bilanx_call *call, const struct kept_results *results);

#endif

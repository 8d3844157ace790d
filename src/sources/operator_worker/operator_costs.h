// operator_costs: how much a call computes and moves.
#ifndef OPERATOR_WORKER_OPERATOR_COSTS_H
#define OPERATOR_WORKER_OPERATOR_COSTS_H

#include "sources/operator_worker/kept_results.h"

// Floating-point operations of matrix products and convolutions, from their shapes; for all others
// one per element of the largest tensor, which never makes arithmetic look like the limit.
double operator_flops(const struct bilanx_call *call, const struct kept_results *results);

// Bytes that a call reads and writes at least: arguments and results, but of what is looked up by
// index no more than is found.
double operator_traffic(const struct bilanx_call *call, const struct kept_results *results);

#endif

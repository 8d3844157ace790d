// call_cost: measures the cost of a backend's call itself.
//
// Some backends have `bilanx.null.default`, an operator that returns its argument. Its time is part
// of every other time.
#ifndef OPERATOR_CASES_CALL_COST_H
#define OPERATOR_CASES_CALL_COST_H

#include "sources/operator_cases/hosts.h"

// Sets `call_s` of the backends that have it; for the others it stays zero. Only ^C is an error.
struct bilanx_error ops_measure_call_costs(struct ops_hosts *hosts);

#endif

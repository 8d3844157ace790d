// check_sample: whether the backends compute what the baseline does.
#ifndef OPERATOR_CASES_CHECK_SAMPLE_H
#define OPERATOR_CASES_CHECK_SAMPLE_H

#include "measuring.h"

// Compares the results of all backends with the baseline's: on the data that is timed, and on data
// that is far from it. What disagrees is OPS_WRONG from then on. Afterwards the data is the usual
// again.
struct bilanx_error check_sample(struct measuring *m);

#endif

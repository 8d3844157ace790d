// check_sample: checks whether the backends compute the same results as the baseline.
#ifndef OPERATOR_CASES_CHECK_SAMPLE_H
#define OPERATOR_CASES_CHECK_SAMPLE_H

#include "measuring.h"

// Compares the results of all backends with the baseline's: on the timed data, and on extreme data.
// A backend that disagrees is OPS_WRONG from then on. Afterwards the data is the usual one again.
struct bilanx_error check_sample(struct measuring *m);

#endif

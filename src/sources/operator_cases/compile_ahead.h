// compile_ahead: has backends compile what comes next.
#ifndef OPERATOR_CASES_COMPILE_AHEAD_H
#define OPERATOR_CASES_COMPILE_AHEAD_H

#include "sources/operator_cases/hosts.h"

// Before a sample is measured: has the backends that can do so compile it together with the next
// ones, unless that was done before. What fails is tried again, alone, when it is prepared, so the
// only error is ^C.
struct bilanx_error ops_compile_ahead(struct ops_hosts *hosts, const struct ops_operator *of,
                                      struct ops_sample *sample);

#endif

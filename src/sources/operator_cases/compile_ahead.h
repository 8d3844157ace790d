// compile_ahead: makes backends compile the next samples in advance.
#ifndef OPERATOR_CASES_COMPILE_AHEAD_H
#define OPERATOR_CASES_COMPILE_AHEAD_H

#include "sources/operator_cases/hosts.h"

// Called before a sample is measured: makes the backends that can do so compile it together with
// the next ones, unless this was done before. A sample that fails is compiled again, alone, when it
// is prepared, so the only error is ^C.
struct bilanx_error ops_compile_ahead(struct ops_hosts *hosts, const struct ops_operator *of,
                                      struct ops_sample *sample);

#endif

// measuring: a sample that is being measured, for the files that do it.
#ifndef OPERATOR_CASES_MEASURING_H
#define OPERATOR_CASES_MEASURING_H

#include "measure_sample.h"

struct measuring {
    struct ops_turns *turns;
    struct ops_hosts *hosts;
    const struct ops *ops;
    const struct ops_operator *of;
    struct ops_sample *sample;
};

void measuring_set_state(struct ops_time *time, enum ops_state state, enum bilanx_status status,
                         const char *why);

// Records the failure of a backend; if its process is gone, opens the call in a new one for the
// others. Returns only ^C.
struct bilanx_error measuring_fail(struct measuring *m, size_t backend,
                                   const struct bilanx_error *error);

// A backend that is much slower than the baseline does not necessarily hang. The duration of its
// first call shows how long others take.
void measuring_be_patient(struct measuring *m, size_t backend);

#endif

// ops_profile: the option --profile: a trace per operator, a flame graph per backend.
#ifndef PROGRAMS_OPS_PROFILE_H
#define PROGRAMS_OPS_PROFILE_H

#include "ops_report.h"

struct ops_trace {
    const char *folder;  // NULL: no traces
    struct text events;  // of the operator under way
    const struct ops *ops;
};
void ops_trace_done(struct ops_trace *trace);

struct bilanx_error ops_trace_init(struct ops_trace *trace, const char *folder,
                                   const struct ops *ops);
void ops_trace_add(struct ops_trace *trace, const struct ops_span *span);

// Writes DIR/operator_NAME.json, in the format that chrome://tracing and Perfetto read.
struct bilanx_error ops_trace_write(struct ops_trace *trace, const struct ops_operator *of);

// Samples the measured calls, for some time on each backend, and writes DIR/flame_BACKEND.svg.
int ops_draw_flames(const struct ops_arguments *arguments, struct ops *ops,
                    const struct ops_hosts *hosts);

#endif

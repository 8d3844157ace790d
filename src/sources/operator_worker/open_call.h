// open_call: one sample of an operator, with its data, as prepared by each backend.
#ifndef OPERATOR_WORKER_OPEN_CALL_H
#define OPERATOR_WORKER_OPEN_CALL_H

#include "core/clock/clock.h"
#include "inputs/operators/operators.h"
#include "sources/operator_worker/backend_module.h"
#include "sources/operator_worker/kept_results.h"

struct open_call {
    struct operator_call call;
    struct operator_data data;
    bool writes;  // to its arguments: they are restored before every run
    const struct backend_module *backends;
    void **prepared;  // one per backend; NULL: not prepared
    bool *has_run;    // one per backend
    size_t backend_count;
    const struct clock *clock;
    char *sweep;  // memory that is written before every run; NULL: caches stay as they are
    size_t sweep_bytes;
};
void open_call_done(struct open_call *open);
SCOPE_VALUE(open_call, open_call_done)

// Parses a call and makes its data. The caller sets the backends, the clock and the memory to sweep
// before, and keeps owning them.
struct bilanx_error open_call_make(struct open_call *open, const char *name, const char *arguments,
                                   const struct operator_options *options);

// The same without data: it can only be asked whether it is supported.
struct bilanx_error open_call_make_empty(struct open_call *open, const char *name,
                                         const char *arguments,
                                         const struct operator_options *options);
struct bilanx_error open_call_supports(const struct open_call *open, size_t backend);

// Prepares the call for a backend, which may take long if it compiles. BILANX_E_SKIPPED: it does
// not support the call, for the reason in the text.
struct bilanx_error open_call_prepare(struct open_call *open, size_t backend, double *elapsed_ns);

// Runs it `calls` times. The time of restoring arguments and sweeping caches does not count.
struct bilanx_error open_call_run(struct open_call *open, size_t backend, uint64_t calls,
                                  double *elapsed_ns);

// Copies the results of its last run. Runs it first if there was none, or if others may have
// written to the same arguments since.
struct bilanx_error open_call_results(struct open_call *open, size_t backend,
                                      struct kept_results *out);

#endif

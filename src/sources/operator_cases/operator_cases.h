// operator_cases: the operators of logs, measured on backends that take turns.
//
//     AUTO(ops) struct ops ops = {.options = options};
//     BILANX_TRY(ops_plan(&ops, &log));
//     BILANX_TRY(ops_hosts_start(&ops, &hosts));
//     BILANX_TRY(ops_measure(&ops, &hosts, &observer));
//
// A sample is one call of a log. In each repeat every backend takes one turn, in random order, on
// the same tensors. The result of a sample on a backend becomes a record as soon as it is known.
#ifndef OPERATOR_CASES_OPERATOR_CASES_H
#define OPERATOR_CASES_OPERATOR_CASES_H

#include "cluster/shards/portion.h"
#include "core/record/records.h"
#include "core/run/run.h"
#include "inputs/operators/operators.h"
#include "sources/operator_cases/backends.h"

struct ops_options {               // every field may be zero
    struct operator_options data;  // dtype, layout, seed, limit of bytes
    const char *select;            // an operator's name or a regular expression; NULL, "all": all
    uint64_t first_sample;         // of each operator
    uint64_t most_samples;         // 0: all
    uint64_t repeats;              // 0: 3
    uint64_t threads;              // 0: 1
    bool unchecked;                // do not compare results
    bool all_roles;                // measure views and constructors, too
    bool preallocate;
    bool cold;
    double budget_s;   // no further sample of an operator after this; 0: no limit
    double timeout_s;  // for each answer of a process; 0: 60, or 300 where Python compiles
    uint64_t max_memory;
    uint64_t order_seed;     // of the turns; 0: random
    const char *python;      // the interpreter; NULL: $BILANX_PYTHON, or python3
    struct portion portion;  // the part of the samples to measure here
    struct tell tell;        // reports long preparations
};

enum ops_state {
    OPS_PENDING,
    OPS_MEASURED,
    OPS_WRONG,        // its result differs from the baseline's: not counted
    OPS_UNSUPPORTED,  // by this backend
    OPS_FAILED,       // crashed, took too long, reported an error
};

struct ops_time {  // a sample on a backend
    enum ops_state state;
    char *why;  // why it has no time that counts; NULL: it has one
    enum bilanx_status status;
    double *times;  // seconds per call, one for each repeat
    size_t count, room;
    double median;            // of these
    uint64_t calls;           // per batch
    uint64_t batches;         // per turn
    double error;             // largest difference from the baseline; NaN: not compared
    bool differs_on_special;  // on NaN or infinities, which is reported, but not wrong
    double ahead_s;           // its share of compiling several samples at once
    double prepare_s;         // compiling and the like, ahead_s included; not part of the times
    double first_s;           // the first call of all
    double readings, free_readings;  // of the core's pace
    bool *turns_free;                // one for each repeat: it had the core to itself
    size_t turns_room;
    bool is_free;        // only these turns count
    double page_faults;  // per call, in the turn that had fewest; NaN: unknown
};

// Whether a turn counts for the time.
static inline bool ops_turn_counts(const struct ops_time *time, size_t turn)
{
    return !time->is_free || time->turns_free[turn];
}

struct ops_sample {
    const struct operator_sample *logged;
    size_t index;            // in the log
    size_t place;            // among all samples, those of other shards included
    double bytes, flops;     // of a call; 0: unknown
    struct ops_time *times;  // one per backend
    bool is_compiled;        // by backends that compile several at once
    bool finished;
};

struct ops_operator {
    const struct logged_operator *logged;
    enum operator_role role;
    char *skipped;  // why none of its samples is measured; NULL: they are
    struct ops_sample *samples;
    size_t sample_count;
    double elapsed_s;
};

struct ops {
    struct ops_options options;
    struct ops_backends backends;
    struct ops_operator *operators;
    size_t operator_count;
    struct run_cases cases;  // one per sample and backend, in this order: what is recorded
};
void ops_done(struct ops *ops);
SCOPE_VALUE(ops, ops_done)

// Fails if `select` is not a regular expression, or matches no operator. Needs no backend, so it
// can precede anything that may have to be compiled.
struct bilanx_error ops_check_selection(const char *select, const struct operator_log *log);

// Chooses operators and samples. The backends must be known, the log must outlive the plan.
struct bilanx_error ops_plan(struct ops *ops, const struct operator_log *log);

size_t ops_sample_count(const struct ops *ops);  // to be measured

// The case of a sample on a backend.
struct run_case *ops_case(const struct ops *ops, const struct ops_operator *of,
                          const struct ops_sample *sample, size_t backend);

// The parameters of a recorded task, as a JSON object: how often it is called, and how it is
// measured. The caller frees it.
char *ops_parameters(const struct ops *ops, uint64_t calls);

// The record of a finished sample on a backend. Returns false if there is nothing to record.
bool ops_make_record(const struct ops *ops, const struct ops_operator *of,
                     const struct ops_sample *sample, size_t backend, struct bilanx_record *out);

// Restores the result of an earlier run from its record.
void ops_restore(struct ops_sample *sample, size_t backend, const struct bilanx_record *record);

struct ops_span {  // of a trace: times of the monotonic clock
    const char *name, *kind;
    size_t backend;  // SIZE_MAX: of the sample
    uint64_t start_ns, end_ns;
};

struct ops_observer {  // functions may be NULL
    void *context;
    void (*working)(void *context, const struct ops_operator *of, const struct ops_sample *sample);
    void (*sample)(void *context, const struct ops_operator *of, const struct ops_sample *sample);
    void (*finished)(void *context, const struct ops_operator *of);
    void (*span)(void *context, const struct ops_span *span);
    void (*slow_compile)(void *context, const struct ops_operator *of,
                         const struct ops_sample *sample, size_t backend);
};

struct ops_hosts;

// Starts the processes that load the backends, and fills in the backends' descriptions of
// themselves. A backend that cannot be loaded is an error if it was requested; otherwise it is
// dropped.
struct bilanx_error ops_hosts_start(struct ops *ops, struct ops_hosts **out);
void ops_hosts_free(struct ops_hosts *hosts);
SCOPE_POINTER(ops_hosts, ops_hosts_free)

// Measures all planned samples that are not finished. The only errors are ^C, and that no process
// can start.
struct bilanx_error ops_measure(struct ops *ops, struct ops_hosts *hosts,
                                const struct ops_observer *observer);

// Asks every backend whether it supports the first sample of each operator: OPS_UNSUPPORTED or
// OPS_MEASURED, without running it.
struct bilanx_error ops_survey(struct ops *ops, struct ops_hosts *hosts);

// The code that a backend generates for a sample; the caller frees it.
struct bilanx_error ops_code(const struct ops_operator *of, const struct ops_sample *sample,
                             struct ops_hosts *hosts, size_t backend, char **out);

#endif

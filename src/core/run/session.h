// session: the process in which one epoch runs: a new one, or a fork of a standby worker.
//
// A standby worker has loaded whatever is slow to load (an interpreter, `import torch`) and forks
// for each epoch. Its forks share its addresses, so it is replaced from time to time.
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "core/run/run.h"
#include "core/worker/client.h"

struct run_standby {
    struct client client;
    bool running;
    bool preparing;       // it has not reported yet that it is ready
    unsigned generation;  // number of workers before this one
};

struct session {
    struct client own;
    struct client *client;  // &own, or the standby worker's
    uint64_t cpus;          // CPUs for a fork
    uint64_t started_ns;    // time it took to start and prepare its own process
    struct run_standby *standby;
    bool preparing;
};

struct session_options {
    struct process_options launch;
    uint64_t timeout_ns;
    unsigned generation;  // minimum generation of a standby worker
};

// Returns options for a case: its own timeout, or else the given one, or else a minute; and the
// limits and CPUs of a measured process. Leaves `generation` at 0.
struct session_options session_options_for(const struct run_case *item, double timeout_s,
                                           uint64_t max_memory);

// Starts a process of the subject, or makes sure that a worker stands by, and prepares it.
struct bilanx_error session_start(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out);

// The two halves of session_start(). Callers that start several processes use them to let the
// processes load at the same time.
struct bilanx_error session_begin(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out);
struct bilanx_error session_await(const struct session_options *options, struct session *session);

// Adds the session's words to an "open" request.
void session_add_words(const struct session *session, struct text *request);

// Ends the process, or leaves it on standby if it is still usable. `error` is the result of the
// epoch. Returns the process's peak memory; 0: unknown, or on standby.
uint64_t session_end(struct session *session, const struct bilanx_error *error);

// Returns the peak memory of `child`, a running fork; 0: unknown.
uint64_t session_peak_bytes(uint64_t child);

// Starts a standby worker and, unless `prepare` is NULL, asks it to prepare. Does not wait for it:
// others can load at the same time.
struct bilanx_error standby_begin(struct run_standby *standby, const struct process_options *launch,
                                  uint64_t timeout_ns, const char *prepare);

// Waits until it has prepared. `answer` may be NULL; it stays empty if nothing was asked.
struct bilanx_error standby_await(struct run_standby *standby, struct message *answer);

#endif

// session: where one epoch runs: a process of its own, or a fork of a worker that stands by.
//
// A worker that stands by has loaded what is costly (an interpreter, `import torch`) and forks for
// every epoch. Its forks share its addresses, so that it is renewed now and then.
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "core/run/run.h"
#include "core/worker/client.h"

struct run_standby {
    struct client client;
    bool running;
    bool preparing;       // it has not answered yet that it is ready
    unsigned generation;  // how many came before it
};

struct session {
    struct client own;
    struct client *client;  // that, or the one that stands by
    uint64_t cpus;          // for a fork
    uint64_t started_ns;    // what starting and preparing its own process took
    struct run_standby *standby;
    bool preparing;
};

struct session_options {
    struct process_options launch;
    uint64_t timeout_ns;
    unsigned generation;  // of a worker that stands by, at least
};

// For a case: its own time-out, else the one asked for, else a minute; the limits and CPUs that a
// measured process has. `generation` is left at 0.
struct session_options session_options_for(const struct run_case *item, double timeout_s,
                                           uint64_t max_memory);

// Starts a process of the subject, or makes sure that one stands by, and has it prepared.
struct bilanx_error session_start(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out);

// The two halves of that, for who starts several: what they load, they load at the same time.
struct bilanx_error session_begin(const struct run_subject *subject,
                                  const struct session_options *options, struct session *out);
struct bilanx_error session_await(const struct session_options *options, struct session *session);

// The words of "open" that are the session's.
void session_add_words(const struct session *session, struct text *request);

// Ends the process, or leaves it standing by if it is fit for that. `error` is how the epoch went.
// Returns the most memory that the process had; 0: nobody knows, or it stands by.
uint64_t session_end(struct session *session, const struct bilanx_error *error);

// The most memory that `child` had, a fork that still runs; 0: nobody knows.
uint64_t session_peak_bytes(uint64_t child);

// Has a worker stand by; `answer` is what it said when it was prepared, and may be NULL.
struct bilanx_error standby_start(struct run_standby *standby, const struct process_options *launch,
                                  uint64_t timeout_ns, const char *prepare, struct message *answer);

#endif

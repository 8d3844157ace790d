// server: the worker's end of the conversation.
//
// The measured body runs its own loop, so the conversation continues inside it. `open` calls the
// body, which prepares and asks for its first batch. From within that call, the server answers
// "opened", reads the next request, and returns a batch size. On `close` it returns 0, so that the
// body cleans up and returns.
#ifndef WORKER_SERVER_H
#define WORKER_SERVER_H

#include "base/children.h"
#include "core/clock/clock.h"
#include "core/timer/epoch.h"
#include "core/timer/loop.h"
#include "core/timer/stepper.h"
#include "core/worker/counters.h"
#include "core/worker/duel.h"
#include "core/worker/message.h"
#include "core/worker/pages.h"
#include "core/worker/sampler.h"
#include "core/worker/zygote.h"

#define WORKER_CHANNEL "BILANX_WORKER"  // environment variable with a program's descriptors
enum { WORKER_PROTOCOL = 1 };

struct server;

typedef void harness_function(void);  // any function of ours, to be recognised in a stack

enum server_fork { SERVER_FORK_BEFORE, SERVER_FORK_PARENT, SERVER_FORK_CHILD };

// What is served: the cases of a benchmark program, a snippet, ...
struct server_subject {
    void *context;
    void (*describe)(void *context, struct text *out);  // adds to "hello"
    size_t case_count;  // 0: nothing to list, and describe_case is not needed
    void (*describe_case)(void *context, size_t index, struct text *out);
    // Runs what an "open" requests: calls a body whose loop asks server_decide(). An error means
    // that nothing was run.
    struct bilanx_error (*run)(void *context, const struct message *request, struct server *server);
    // Makes something that can be opened, and adds to "prepared". NULL: nothing to make.
    struct bilanx_error (*prepare)(void *context, const struct message *request, struct text *out);
    // Adds to "closed". NULL: nothing to add.
    void (*describe_result)(void *context, struct text *out);
    // Called around the fork for "open fork=1"; `where` says in which process. NULL: nothing to do.
    void (*forking)(void *context, enum server_fork where);
    const struct sampler_language *language;  // whose frames are not native; NULL: none
};

struct server {
    const struct server_subject *subject;
    int in;
    FILE *out;
    struct text incoming;
    struct text failure;  // the last failure reported
    struct clock clock;
    struct clock_quality quality;

    const struct server_task *task;  // current measurement; NULL between requests
    struct stepper stepper;
    struct epoch_watch watch;
    struct counting counting;
    struct sampling sampling;
    struct text watched;  // the sampler's answer
    const void *body;     // function that has the loop, set by the subject; NULL: unknown
    harness_function *const *harness;  // what it calls for its loop, up to a NULL; may be NULL
    const void *stack_end;             // the stack of an open case is below this
    struct duel duel;
    bool (*hand_over)(struct duel *duel);  // hands over in a duel; NULL: to another process
    void *hand_over_context;
    struct loop *loop;  // of the open case
    bool asked;         // a request is waiting for its answer
    bool entered;       // the body has reached its loop
    pid_t pid;          // the process that converses, as opposed to a statement's forks
    bool closing;
    struct children before;  // children of this process when the body reached its loop
    enum pages pages;        // pages under the case's code, reported in "opened"
    char *files;             // files whose pages a duel moves once touched; NULL: none

    struct zygote zygote;
    struct bilanx_error owed;  // how the last fork died, if no request was waiting
};

// Serves until the channel closes. Returns the exit status of the process.
int server_run(const struct server_subject *subject, int in, int out);

// For loop.decide of the open case; `context` is the server.
uint64_t server_decide(void *context, const struct batch *last);

// Checks before a loop's first batch, and after each, whether it may continue. Processes that the
// setup started may stay; those of the statement must have ended and been waited for. If this
// process is a fork made by the statement, it ends here, because the conversation is its parent's.
// For loops that do not ask server_decide().
bool server_goes_on(struct server *server, const struct batch *last);

// For subjects that converse themselves while a case is open, instead of running a loop. The end of
// such a case is announced by `closing`, before its last answer.
bool server_receive(struct server *server, struct message *out);  // false: the controller is gone
void server_reply(struct server *server, struct text *line);      // a line without its end
void server_answer_error(struct server *server, enum bilanx_status status, const char *text);

// Ends this process if it is a fork made by the statement.
void server_end_fork(const struct server *server);

// The failure text of a case that left its loop early.
extern const char server_left_loop[];

// Fails the open case: its loop gets no more batches, and the current request gets this answer.
void server_fail(struct server *server, enum bilanx_status status, const char *text);

#endif

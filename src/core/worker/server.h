// server: the worker's end of the conversation.
//
// The measured body owns its loop, so the conversation goes on inside it: `open` calls the body,
// which prepares and asks for its first batch; from within that question the server answers
// "opened", reads what to do next, and returns the size of a batch. `close` returns 0, so that the
// body cleans up and comes back.
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
#include "core/worker/zygote.h"

#define WORKER_CHANNEL "BILANX_WORKER"  // the variable that tells a program its descriptors
enum { WORKER_PROTOCOL = 1 };

struct server;

enum server_fork { SERVER_FORK_BEFORE, SERVER_FORK_PARENT, SERVER_FORK_CHILD };

// What is served: the cases of a benchmark program, a snippet, ...
struct server_subject {
    void *context;
    void (*describe)(void *context, struct text *out);  // adds to "hello"
    size_t case_count;  // 0: it has none to list, and needs no describe_case
    void (*describe_case)(void *context, size_t index, struct text *out);
    // Runs what an "open" asks for: calls a body whose loop asks server_decide(). An error means
    // that nothing was run.
    struct bilanx_error (*run)(void *context, const struct message *request, struct server *server);
    // Makes something that can be opened, and adds to "prepared"; NULL: there is nothing to make.
    struct bilanx_error (*prepare)(void *context, const struct message *request, struct text *out);
    // Adds to "closed"; NULL: there is nothing to add.
    void (*describe_result)(void *context, struct text *out);
    // Around the fork for "open fork=1", in the process that the word names; NULL: nothing to do.
    void (*forking)(void *context, enum server_fork where);
};

struct server {
    const struct server_subject *subject;
    int in;
    FILE *out;
    struct text incoming;
    struct text failure;  // the last one told
    struct clock clock;
    struct clock_quality quality;

    const struct server_task *task;  // what is being measured, NULL between requests
    struct stepper stepper;
    struct epoch_watch watch;
    struct counting counting;
    struct duel duel;
    bool (*hand_over)(struct duel *duel);  // to the other side of a duel; NULL: in another process
    void *hand_over_context;
    struct loop *loop;  // of the case that is open
    bool asked;         // a request waits for its answer
    bool entered;       // the body reached its loop
    pid_t pid;          // who converses: not what a statement forks
    bool closing;
    struct children before;  // of this process, when the body reached its loop
    enum pages pages;        // under the code of the case: "opened" says so
    char *files;             // whose pages a duel draws anew once they were touched; NULL: none

    struct zygote zygote;
    struct bilanx_error owed;  // how the last fork died, when nobody was waiting for an answer
};

// Serves until the channel closes. Returns the exit status for the process.
int server_run(const struct server_subject *subject, int in, int out);

// For loop.decide of the open case; `context` is the server.
uint64_t server_decide(void *context, const struct batch *last);

// Before a loop's first batch and after each: may it go on? What the setup has started stays; what
// the statement started must have ended, and been waited for. A fork of the statement ends here, as
// there is one conversation, and it is not the child's. For loops that do not ask server_decide().
bool server_goes_on(struct server *server, const struct batch *last);

// Ends this process if it is a fork that the statement made.
void server_end_fork(const struct server *server);

// Why a case fails whose loop was not left by its own end.
extern const char server_left_loop[];

// Ends the open case: its loop gets no further batch, and the request under way is answered so.
void server_fail(struct server *server, enum bilanx_status status, const char *text);

#endif

// client: the controller's end of the conversation.
#ifndef WORKER_CLIENT_H
#define WORKER_CLIENT_H

#include "base/process.h"
#include "core/worker/message.h"

struct client {
    struct process process;
    uint64_t timeout_ns;  // for each answer; 0: no limit
};

struct bilanx_error client_start(const struct process_options *options, uint64_t timeout_ns,
                                 struct client *out);
void client_done(struct client *client);  // kills the process if it is still running
SCOPE_VALUE(client, client_done)

// Sends `request` (a whole line) and waits for the answer, which must have this verb. A "failed"
// answer becomes an error with its code.
struct bilanx_error client_ask(struct client *client, const struct text *request, const char *verb,
                               struct message *answer);

// The second half of client_ask(), for callers that have sent requests to several workers.
struct bilanx_error client_answer(struct client *client, const char *verb, struct message *answer);

// Reads one more line of an answer.
struct bilanx_error client_receive(struct client *client, struct message *answer);

// Turns a worker's report of a failure into an error.
struct bilanx_error client_error(const char *code, const char *text);

#endif

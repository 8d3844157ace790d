// tasks: the requests that measure, between "open" and "close".
#ifndef WORKER_TASKS_H
#define WORKER_TASKS_H

#include "core/worker/server.h"

// A request that measures: how it sets up the stepper, and what it answers at the end.
struct server_task {
    const char *verb;
    bool reads_pace;  // of the core, between batches
    bool pairs;       // takes turns with another process or another loop
    struct bilanx_error (*plan)(struct server *server, const struct message *request,
                                struct stepper_options *out);
    // Returns the size of the next batch, or 0 when all are done. `last` is NULL the first time.
    uint64_t (*next)(struct server *server, const struct batch *last);
    void (*answer)(struct server *server, struct text *out);
};

const struct server_task *task_find(const char *verb);  // NULL: unknown

#endif

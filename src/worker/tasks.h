// tasks: the requests that measure, between "open" and "close".
#ifndef WORKER_TASKS_H
#define WORKER_TASKS_H

#include "worker/server.h"

// A request that measures: how it starts the stepper, and what it answers in the end.
struct server_task {
    const char *verb;
    bool draws;  // one draw of a rigorous measurement: the reference is measured along
    struct bilanx_error (*plan)(const struct server *server, const struct message *request,
                                struct stepper_options *out);
    void (*answer)(struct server *server, struct text *out);
};

const struct server_task *task_find(const char *verb);  // NULL: there is none

#endif

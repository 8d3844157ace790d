// count: the request that counts instead of timing.
#ifndef WORKER_COUNT_H
#define WORKER_COUNT_H

#include "core/worker/server.h"

struct bilanx_error count_plan(struct server *server, const struct message *request,
                               struct stepper_options *out);
uint64_t count_next(struct server *server, const struct batch *last);
void count_answer(struct server *server, struct text *out);

// The number of threads of this process, this one included.
unsigned count_threads(void);

#endif

// sample: the requests that sample the loop's stacks.
#ifndef WORKER_SAMPLE_H
#define WORKER_SAMPLE_H

#include "core/worker/server.h"

// "watch": opens a sampler.
struct bilanx_error watch_plan(struct server *server, const struct message *request,
                               struct stepper_options *out);
uint64_t watch_next(struct server *server, const struct batch *last);
void watch_answer(struct server *server, struct text *out);

// "sample": runs batches, most of them sampled, and closes it.
struct bilanx_error sample_plan(struct server *server, const struct message *request,
                                struct stepper_options *out);
uint64_t sample_next(struct server *server, const struct batch *last);
void sample_answer(struct server *server, struct text *out);

// Closes the sampler of a case that ended in the meantime.
void sample_end(struct server *server);

#endif

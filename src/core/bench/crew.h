// crew: the threads of one case, whose batches start together.
//
// Each thread runs the whole body with a loop of its own. The first one leads: between two batches
// the others wait while it asks the server what comes next. A batch takes from the moment all may
// start to the end of the last: with more threads than CPUs, some start late.
#ifndef BENCH_CREW_H
#define BENCH_CREW_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/timer/loop.h"
#include "core/worker/server.h"

struct crew {
    unsigned size;
    struct server *server;
    atomic_uint waiting, generation;  // the barrier
    uint64_t n;                       // the size of the next batch; 0: it is over
    uint64_t released;                // tick: when it might start
    double *took_ns;                  // by thread
    atomic_bool failed;               // the first failure of any thread, told by the leader
    enum bilanx_status status;
    char reason[300];
};

void crew_init(struct crew *crew, unsigned size, struct server *server);
void crew_done(struct crew *crew);

// One thread's place; the context of its loop.decide.
struct crew_seat {
    struct crew *crew;
    struct loop *loop;
    unsigned index;
    bool dismissed;  // it was told that no batch comes any more
};
uint64_t crew_lead(void *seat, const struct batch *last);
uint64_t crew_follow(void *seat, const struct batch *last);

void crew_fail(struct crew *crew, enum bilanx_status status, const char *reason);

#endif

// crew: the threads of one case, which start each batch together.
//
// Each thread runs the whole body with its own loop. The first thread leads: between batches the
// others wait while it asks the server what comes next. A batch lasts from the moment all threads
// may start until the last one ends. With more threads than CPUs, some start late.
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
    uint64_t n;                       // size of the next batch; 0: no more batches
    uint64_t released;                // tick when the batch could start
    double *took_ns;                  // per thread
    atomic_bool failed;               // the first failure of any thread, reported by the leader
    enum bilanx_status status;
    char reason[300];
};

void crew_init(struct crew *crew, unsigned size, struct server *server);
void crew_done(struct crew *crew);

// One thread's place in the crew; the context of its loop.decide.
struct crew_seat {
    struct crew *crew;
    struct loop *loop;
    unsigned index;
    bool dismissed;  // it has learned that there are no more batches
};
uint64_t crew_lead(void *seat, const struct batch *last);
uint64_t crew_follow(void *seat, const struct batch *last);

void crew_fail(struct crew *crew, enum bilanx_status status, const char *reason);

#endif

// crew: the threads of one case, which start each batch together.
#include "crew.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

void crew_init(struct crew *crew, unsigned size, struct server *server)
{
    *crew = (struct crew){.size = size, .server = server, .took_ns = mem_array(double, size)};
}

void crew_done(struct crew *crew)
{
    free(crew->took_ns);
}

// Spins first, because the others should arrive soon and batches should start at once. Then yields,
// because there may be more threads than CPUs. Then sleeps, because the leader may be waiting for
// the controller.
static void wait_a_little(unsigned turn)
{
    if (turn < 2000)
        return;
    if (turn < 4000)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void meet(struct crew *crew)
{
    unsigned generation = atomic_load(&crew->generation);
    if (atomic_fetch_add(&crew->waiting, 1) + 1 == crew->size) {
        atomic_store(&crew->waiting, 0);
        atomic_fetch_add(&crew->generation, 1);
        return;
    }
    for (unsigned turn = 0; atomic_load(&crew->generation) == generation; turn++)
        wait_a_little(turn);
}

void crew_fail(struct crew *crew, enum bilanx_status status, const char *reason)
{
    if (atomic_exchange(&crew->failed, true))
        return;
    crew->status = status;
    snprintf(crew->reason, sizeof crew->reason, "%s", reason);
}

static double took_ns(const struct crew_seat *seat, const struct batch *last)
{
    if (!last || seat->loop->manual)
        return last ? last->ns : 0;
    return last->ns + clock_ns(seat->loop->clock, seat->loop->begun - seat->crew->released);
}

uint64_t crew_lead(void *seat, const struct batch *last)
{
    struct crew_seat *mine = seat;
    struct crew *crew = mine->crew;
    server_end_fork(crew->server);  // a fork would wait for threads it does not have
    struct batch whole = last ? *last : (struct batch){0};
    whole.ns = took_ns(mine, last);
    meet(crew);  // all threads have finished the batch
    for (unsigned i = 1; i < crew->size; i++)
        if (crew->took_ns[i] > whole.ns)
            whole.ns = crew->took_ns[i];
    if (atomic_load(&crew->failed))
        server_fail(crew->server, crew->status, crew->reason);
    crew->n = server_decide(crew->server, last ? &whole : NULL);
    crew->released = clock_read(&crew->server->clock);
    meet(crew);  // all threads know the next batch
    mine->dismissed = crew->n == 0;
    return crew->n;
}

uint64_t crew_follow(void *seat, const struct batch *last)
{
    struct crew_seat *mine = seat;
    server_end_fork(mine->crew->server);
    mine->crew->took_ns[mine->index] = took_ns(mine, last);
    meet(mine->crew);
    meet(mine->crew);
    mine->dismissed = mine->crew->n == 0;
    return mine->crew->n;
}

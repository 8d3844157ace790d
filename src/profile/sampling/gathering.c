// gathering: collects samples in the background while a worker runs.
#include "gathering.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/worker/sampling_event.h"
#include "own_samples.h"

enum {
    WAIT_MS = 20,
    LARGE_BYTES = 128 << 20,  // worked off before there is more
};

static void end_thread(struct gathering *gathering)
{
    if (!gathering->running)
        return;
    atomic_store(&gathering->ending, true);
    pthread_join(gathering->thread, NULL);
    gathering->running = false;
}

void gathering_done(struct gathering *gathering)
{
    end_thread(gathering);
    for (size_t i = 0; i < gathering->ring_count; i++)
        ring_done(&gathering->rings[i]);
    free(gathering->rings);
    pile_done(&gathering->pile);
    pile_done(&gathering->stacks);
    *gathering = (struct gathering){0};
}

struct bilanx_error gathering_add(struct gathering *gathering, int fd)
{
    struct ring ring;
    BILANX_TRY(ring_init(&ring, fd));
    mem_grow(gathering->rings, gathering->ring_count, &gathering->ring_room);
    gathering->rings[gathering->ring_count++] = ring;
    return BILANX_SUCCESS;
}

static void drain_memory(struct gathering *gathering)
{
    const struct sample_head *record;
    size_t size;
    while (gathering->mapping && (record = sample_mapping_read(gathering->mapping, &size))) {
        size_t at = gathering->stacks.size;
        pile_add(&gathering->stacks, record, size);
        // The worker may change it after it was checked.
        atomic_store(&((struct sample_head *)(void *)(gathering->stacks.data + at))->size,
                     (uint32_t)size);
        sample_mapping_free(gathering->mapping, size);
    }
}

// What a process of a command says of itself takes its place among the kernel's events.
static void drain_seat(struct gathering *gathering, size_t seat)
{
    uint32_t process = 0;
    struct sample_mapping *mapping = sample_board_seat(gathering->board, seat, &process);
    const struct sample_head *record;
    size_t size;
    bool over = mapping && sample_board_is_over(gathering->board, seat);
    while (mapping && (record = sample_mapping_read(mapping, &size))) {
        own_sample_add(&gathering->pile, record, size, process);
        sample_mapping_free(mapping, size);
    }
    if (over)
        sample_board_free(gathering->board, seat);
}

static void deliver_stacks(struct gathering *gathering)
{
    struct pile *pile = &gathering->stacks;
    for (size_t at = 0; at + sizeof(struct sample_head) <= pile->size;) {
        struct sample_head *record = (struct sample_head *)(void *)(pile->data + at);
        size_t size = atomic_load(&record->size);
        if (size == 0 || size > pile->size - at)
            break;
        own_sample_deliver(record, size, 0, gathering->events);
        at += size;
    }
    pile->size = 0;
}

static void drain(struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->ring_count; i++)
        ring_drain(&gathering->rings[i], &gathering->pile);
    drain_memory(gathering);
    for (size_t i = 0; gathering->board && i < SAMPLE_BOARD_SEATS; i++)
        drain_seat(gathering, i);
}

static void deliver(struct gathering *gathering)
{
    pile_deliver(&gathering->pile, gathering->events);
    deliver_stacks(gathering);
}

// See vary_period() in sample.c. After samples have come, the next one is a period away, so nothing
// is lost by beginning it anew.
static void vary_period(struct gathering *gathering, const struct pollfd *ring)
{
    if (gathering->period_ns == 0 || !(ring->revents & POLLIN))
        return;
    double factor = 0.5 + even_next(&gathering->even, EVEN_STEP);
    sampling_event_retime(ring->fd, (uint64_t)(gathering->period_ns * factor));
}

static void *gather(void *argument)
{
    struct gathering *gathering = argument;
    AUTO(memory) struct pollfd *waiting = mem_array(struct pollfd, gathering->ring_count);
    for (size_t i = 0; i < gathering->ring_count; i++)
        waiting[i] = (struct pollfd){.fd = gathering->rings[i].fd, .events = POLLIN};
    while (!atomic_load(&gathering->ending)) {
        poll(waiting, gathering->ring_count, WAIT_MS);
        // An event whose thread has ended would be reported at once, again and again.
        for (size_t i = 0; i < gathering->ring_count; i++)
            if (waiting[i].revents & (POLLHUP | POLLERR))
                waiting[i].fd = -1;
            else
                vary_period(gathering, &waiting[i]);
        drain(gathering);
        if (gathering->pile.size + gathering->stacks.size > LARGE_BYTES)
            deliver(gathering);
    }
    return NULL;
}

struct bilanx_error gathering_start(struct gathering *gathering, const struct sample_events *events)
{
    gathering->events = events;
    atomic_store(&gathering->ending, false);
    // Signals such as ^C are for the main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(&gathering->thread, NULL, gather, gathering);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot start a thread: %s", strerror(reason));
    gathering->running = true;
    return BILANX_SUCCESS;
}

void gathering_stop(struct gathering *gathering, struct gathering_losses *losses)
{
    if (!gathering->running)
        return;
    end_thread(gathering);
    drain(gathering);
    deliver(gathering);
    losses->lost += gathering->pile.lost;
    losses->throttled += gathering->pile.throttled;
    if (gathering->mapping)
        losses->lost += (double)atomic_load(&gathering->mapping->memory->lost);
    if (gathering->board)
        losses->lost += sample_board_lost(gathering->board);
}

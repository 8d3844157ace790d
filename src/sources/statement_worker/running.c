// running: runs a loaded statement in its loop, alone or alternating with a rival.
#include "running.h"

#include "core/worker/shift.h"
#include "sources/statement_worker/strand.h"

static uint64_t next_batch(struct bilanx_loop *face, uint64_t left)
{
    struct running *running = (struct running *)face;
    if (left == 0)
        return loop_next(&running->loop);
    server_fail(running->server, BILANX_E_FAILED, server_left_loop);
    return 0;
}

harness_function *const running_harness[] = {(harness_function *)next_batch, NULL};

struct running running_begin(struct server *server, uint64_t seed)
{
    return (struct running){
        .face = {next_batch},
        .loop = {.clock = &server->clock, .decide = server_decide, .context = server},
        .server = server,
        .seed = seed};
}

static void call(void *context)
{
    struct running *running = context;
    running->function(&running->face);
}

void running_call(struct running *running)
{
    shift_call(running->seed, call, running);
}

// Two statements in one process. The process's own stack only starts and ends them.
struct rivals {
    struct server *server;
    struct running *second;
    struct strand main, strands[2];
    struct duel duel;  // as seen by the second
    bool begun;        // the second is in its loop
};

static void call_on_strand(void *argument)
{
    running_call(argument);
}

static bool hand_back(struct duel *duel)
{
    struct rivals *rivals = duel->context;
    strand_switch(&rivals->strands[1], &rivals->strands[0]);
    return !rivals->server->closing;
}

// For the first: returns when the second has finished its turn.
static bool hand_over(struct duel *duel)
{
    struct rivals *rivals = duel->context;
    if (duel_is_mine(duel, duel->slot))
        return true;  // after the last slot
    if (!rivals->begun) {
        rivals->begun = true;
        rivals->second->loop.method = rivals->server->loop->method;
        rivals->duel = *duel;  // at the current slot, which is not the first one's
        rivals->duel.role = 1 - duel->role;
        rivals->duel.hand_over = hand_back;
    }
    strand_switch(&rivals->strands[0], &rivals->strands[1]);
    return !rivals->strands[1].ended;
}

static uint64_t decide_second(void *context, const struct batch *last)
{
    struct rivals *rivals = context;
    return server_goes_on(rivals->server, last) ? duel_next(&rivals->duel, last) : 0;
}

// The first has returned; the second, if started, is still inside its loop.
static void end_second(struct rivals *rivals)
{
    rivals->server->closing = true;
    rivals->strands[1].after = &rivals->main;
    if (rivals->begun && !rivals->strands[1].ended)
        strand_switch(&rivals->main, &rivals->strands[1]);
}

struct bilanx_error rivals_run(struct server *server, struct running *first, struct running *second)
{
    struct rivals rivals = {.server = server, .second = second};
    second->loop.decide = decide_second;
    second->loop.context = &rivals;
    server->hand_over = hand_over;
    server->hand_over_context = &rivals;
    BILANX_TRY(strand_init(&rivals.main, NULL, NULL, NULL));
    BILANX_TRY(strand_init(&rivals.strands[0], call_on_strand, first, &rivals.main));
    BILANX_TRY(strand_init(&rivals.strands[1], call_on_strand, second, &rivals.strands[0]));
    strand_switch(&rivals.main, &rivals.strands[0]);
    bool closing = server->closing;
    end_second(&rivals);
    server->closing = closing;
    server->hand_over = NULL;
    strand_done(&rivals.strands[0]);
    strand_done(&rivals.strands[1]);
    return BILANX_SUCCESS;
}

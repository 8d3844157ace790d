// running: a loaded statement in its loop, alone or taking turns with a rival.
#ifndef SNIPPETS_RUNNING_H
#define SNIPPETS_RUNNING_H

#include "core/worker/server.h"

// What a compiled snippet sees: its prelude declares the same.
struct bilanx_loop {
    // `left` is what the loop has not run of the batch before: 0, unless the statement left it.
    uint64_t (*next)(struct bilanx_loop *loop, uint64_t left);
};

struct running {
    struct bilanx_loop face;  // first: a pointer to one is a pointer to the other
    struct loop loop;
    struct server *server;
    void (*function)(struct bilanx_loop *loop);
    uint64_t seed;  // of where its stack and heap begin
};

struct running running_begin(struct server *server, uint64_t seed);

// Calls the function, whose loop converses with the controller.
void running_call(struct running *running);

// The same for two, each on a stack of its own. The first one's loop converses; in a duel they take
// turns.
struct bilanx_error rivals_run(struct server *server, struct running *first,
                               struct running *second);

#endif

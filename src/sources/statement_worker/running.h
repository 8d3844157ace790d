// running: runs a loaded statement in its loop, alone or alternating with a rival.
#ifndef SNIPPETS_RUNNING_H
#define SNIPPETS_RUNNING_H

#include "core/worker/server.h"

// The interface to a compiled snippet; its prelude and inputs.txt declare the same structs.
struct bilanx_loop {
    // `left` is how much of the previous batch was not run: 0, unless the statement left the loop.
    uint64_t (*next)(struct bilanx_loop *loop, uint64_t left);
    const struct bilanx_input_ *inputs;  // NULL: none
};

struct running {
    struct bilanx_loop face;  // must be first: pointers to both are interchangeable
    struct loop loop;
    struct server *server;
    void (*function)(struct bilanx_loop *loop);
    uint64_t seed;  // determines where stack and heap begin
};

// The functions that a statement's loop calls, up to a NULL.
extern harness_function *const running_harness[];

struct running running_begin(struct server *server, uint64_t seed);

// Calls the function, whose loop talks to the controller.
void running_call(struct running *running);

// The same for two, each on its own stack. The first one's loop talks to the controller; in a duel
// they alternate.
struct bilanx_error rivals_run(struct server *server, struct running *first,
                               struct running *second);

#endif

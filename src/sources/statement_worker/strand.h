// strand: a function on its own stack that runs when switched to.
//
// A measured body owns its loop. For two bodies to alternate in one process, each needs a stack:
// setting them up for every batch would measure the setup, and two threads might run on different
// CPUs.
#ifndef SNIPPETS_STRAND_H
#define SNIPPETS_STRAND_H

#include <stdbool.h>
#include <ucontext.h>

#include "bilanx/error.h"

struct strand {
    ucontext_t context;
    void *stack;
    void (*function)(void *argument);
    void *argument;
    struct strand *after;  // resumed when the function returns
    bool ended;
};

// `after` NULL: represents the process's original stack and has no function.
struct bilanx_error strand_init(struct strand *strand, void (*function)(void *argument),
                                void *argument, struct strand *after);
void strand_done(struct strand *strand);

void strand_switch(struct strand *from, struct strand *to);

#endif

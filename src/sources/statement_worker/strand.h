// strand: a function on a stack of its own, which runs when it is switched to.
//
// A measured body owns its loop. For two of them to take turns in one process, each needs a stack:
// setting them up for every batch would measure the setup, and two threads would be two draws of
// where a thread runs.
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
    struct strand *after;  // what goes on when the function has returned
    bool ended;
};

// `after` NULL: this one stands for the stack of the process itself, and has no function.
struct bilanx_error strand_init(struct strand *strand, void (*function)(void *argument),
                                void *argument, struct strand *after);
void strand_done(struct strand *strand);

void strand_switch(struct strand *from, struct strand *to);

#endif

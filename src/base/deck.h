// deck: numbers from 0 in random order, each once before any comes again.
#ifndef BASE_DECK_H
#define BASE_DECK_H

#include "base/random.h"
#include "base/scope.h"

struct deck {
    size_t *cards;
    size_t count, next;
};
void deck_init(struct deck *deck, size_t count);
void deck_done(struct deck *deck);
SCOPE_VALUE(deck, deck_done)

size_t deck_draw(struct deck *deck, struct random *random);  // 0 where there is no card

#endif

// deck: draws numbers from 0 up in random order, all of them before any repeats, except on purpose.
#ifndef BASE_DECK_H
#define BASE_DECK_H

#include "base/random.h"
#include "base/scope.h"

struct deck {
    size_t *cards;
    size_t *uses;  // how often each number was drawn
    size_t count, next;
};
void deck_init(struct deck *deck, size_t count);
void deck_done(struct deck *deck);
SCOPE_VALUE(deck, deck_done)

size_t deck_draw(struct deck *deck, struct random *random);  // 0 if the deck is empty

// Draws a number that was drawn only once so far; any, if there is none.
size_t deck_draw_again(struct deck *deck, struct random *random);

#endif

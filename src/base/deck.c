// deck: draws numbers from 0 up in random order.
#include "deck.h"

#include "base/mem.h"

void deck_init(struct deck *deck, size_t count)
{
    *deck = (struct deck){.cards = mem_array(size_t, count), .count = count, .next = count};
    for (size_t i = 0; i < count; i++)
        deck->cards[i] = i;
}

void deck_done(struct deck *deck)
{
    free(deck->cards);
    *deck = (struct deck){0};
}

size_t deck_draw(struct deck *deck, struct random *random)
{
    if (deck->count == 0)
        return 0;
    if (deck->next == deck->count) {
        random_shuffle(random, deck->cards, deck->count);
        deck->next = 0;
    }
    return deck->cards[deck->next++];
}

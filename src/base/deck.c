// deck: draws numbers from 0 up in random order.
#include "deck.h"

#include "base/mem.h"

void deck_init(struct deck *deck, size_t count)
{
    *deck = (struct deck){.cards = mem_array(size_t, count),
                          .uses = mem_array(size_t, count),
                          .count = count,
                          .next = count};
    for (size_t i = 0; i < count; i++)
        deck->cards[i] = i;
}

void deck_done(struct deck *deck)
{
    free(deck->cards);
    free(deck->uses);
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
    size_t drawn = deck->cards[deck->next++];
    deck->uses[drawn]++;
    return drawn;
}

size_t deck_draw_again(struct deck *deck, struct random *random)
{
    size_t once = 0;
    for (size_t i = 0; i < deck->count; i++)
        once += deck->uses[i] == 1;
    size_t wanted = once ? random_bits(random) % once : 0;
    for (size_t i = 0; once && i < deck->count; i++)
        if (deck->uses[i] == 1 && wanted-- == 0) {
            deck->uses[i]++;
            return i;
        }
    return deck_draw(deck, random);
}

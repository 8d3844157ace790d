#include "base/deck.h"

#include <stdbool.h>

#include "unit.h"

static void every_card_is_drawn_once_before_any_is_drawn_again(void **state)
{
    (void)state;
    enum { CARDS = 32, ROUNDS = 5 };
    AUTO(deck) struct deck deck;
    struct random random;
    random_init(&random, 7);
    deck_init(&deck, CARDS);
    for (int round = 0; round < ROUNDS; round++) {
        bool seen[CARDS] = {false};
        for (int i = 0; i < CARDS; i++) {
            size_t card = deck_draw(&deck, &random);
            assert_true(card < CARDS && !seen[card]);
            seen[card] = true;
        }
    }
}

static void rounds_differ_in_their_order(void **state)
{
    (void)state;
    enum { CARDS = 32 };
    AUTO(deck) struct deck deck;
    struct random random;
    size_t first[CARDS], same = 0;
    random_init(&random, 7);
    deck_init(&deck, CARDS);
    for (size_t i = 0; i < CARDS; i++)
        first[i] = deck_draw(&deck, &random);
    for (size_t i = 0; i < CARDS; i++)
        same += deck_draw(&deck, &random) == first[i];
    assert_true(same < CARDS / 2);
}

static void an_empty_deck_gives_zero(void **state)
{
    (void)state;
    AUTO(deck) struct deck deck;
    struct random random;
    random_init(&random, 7);
    deck_init(&deck, 0);
    assert_int_equal(deck_draw(&deck, &random), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_card_is_drawn_once_before_any_is_drawn_again),
        cmocka_unit_test(rounds_differ_in_their_order),
        cmocka_unit_test(an_empty_deck_gives_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static void drawing_again_repeats_each_card_once(void **state)
{
    (void)state;
    enum { CARDS = 16, DRAWN = 6 };
    AUTO(deck) struct deck deck;
    struct random random;
    bool first[CARDS] = {false}, second[CARDS] = {false};
    random_init(&random, 7);
    deck_init(&deck, CARDS);
    for (int i = 0; i < DRAWN; i++)
        first[deck_draw(&deck, &random)] = true;
    for (int i = 0; i < DRAWN; i++) {
        size_t card = deck_draw_again(&deck, &random);
        assert_true(first[card] && !second[card]);
        second[card] = true;
    }
}

static void drawing_again_leaves_the_order_of_the_deck_alone(void **state)
{
    (void)state;
    enum { CARDS = 8 };
    AUTO(deck) struct deck deck;
    struct random random;
    bool seen[CARDS] = {false};
    random_init(&random, 7);
    deck_init(&deck, CARDS);
    for (int i = 0; i < CARDS; i++) {
        size_t card = deck_draw(&deck, &random);
        assert_false(seen[card]);
        seen[card] = true;
        assert_int_equal(deck_draw_again(&deck, &random), card);  // the only one drawn once
    }
}

static void drawing_again_from_an_unused_deck_is_a_first_draw(void **state)
{
    (void)state;
    enum { CARDS = 8 };
    AUTO(deck) struct deck deck;
    struct random random;
    random_init(&random, 7);
    deck_init(&deck, CARDS);
    size_t card = deck_draw_again(&deck, &random);
    assert_true(card < CARDS);
    assert_int_equal(deck_draw_again(&deck, &random), card);
    assert_int_not_equal(deck_draw_again(&deck, &random), card);
}

static void cards_to_repeat_are_drawn_at_random(void **state)
{
    (void)state;
    enum { CARDS = 8, TRIES = 200 };
    unsigned lowest = 0;
    struct random random;
    random_init(&random, 7);
    for (int i = 0; i < TRIES; i++) {
        AUTO(deck) struct deck deck;
        deck_init(&deck, CARDS);
        for (int k = 0; k < CARDS; k++)
            deck_draw(&deck, &random);
        lowest += deck_draw_again(&deck, &random) == 0;
    }
    assert_true(lowest > 0 && lowest < TRIES / 2);
}

static void an_empty_deck_gives_zero(void **state)
{
    (void)state;
    AUTO(deck) struct deck deck;
    struct random random;
    random_init(&random, 7);
    deck_init(&deck, 0);
    assert_int_equal(deck_draw(&deck, &random), 0);
    assert_int_equal(deck_draw_again(&deck, &random), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_card_is_drawn_once_before_any_is_drawn_again),
        cmocka_unit_test(rounds_differ_in_their_order),
        cmocka_unit_test(drawing_again_repeats_each_card_once),
        cmocka_unit_test(drawing_again_leaves_the_order_of_the_deck_alone),
        cmocka_unit_test(drawing_again_from_an_unused_deck_is_a_first_draw),
        cmocka_unit_test(cards_to_repeat_are_drawn_at_random),
        cmocka_unit_test(an_empty_deck_gives_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cluster/shards/portion.h"

#include "own_folder.h"

enum { COUNT = 8 };

// The chosen ones of eight items of equal cost, each in a group of its own: "01100000".
static struct bilanx_error choose(struct portion portion, char out[COUNT + 1])
{
    struct shard_item items[COUNT];
    bool keep[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        items[i] = (struct shard_item){1, i};
    struct bilanx_error error = portion_choose(&portion, items, COUNT, keep);
    for (size_t i = 0; error.status == BILANX_OK && i < COUNT; i++)
        out[i] = keep[i] ? '1' : '0';
    return error;
}

static void assert_chosen(struct portion portion, const char *expected)
{
    char chosen[COUNT + 1] = "";
    assert_ok(choose(portion, chosen));
    assert_string_equal(chosen, expected);
}

static void a_portion_is_a_shard_or_some_positions(void **state)
{
    (void)state;
    assert_false(portion_is_partial(&(struct portion){0}));
    assert_true(portion_is_partial(&(struct portion){.shard = "1/2"}));
    assert_true(portion_is_partial(&(struct portion){.cases = "1"}));
    assert_chosen((struct portion){0}, "11111111");
    assert_chosen((struct portion){.shard = "2/4"}, "01000100");
    assert_chosen((struct portion){.cases = "1,3-5,8"}, "10111001");
    assert_chosen((struct portion){.cases = "1-8:3"}, "10010010");
}

static void shards_divide_only_the_chosen_positions(void **state)
{
    (void)state;
    assert_chosen((struct portion){.cases = "3-6", .shard = "1/2"}, "00101000");
    assert_chosen((struct portion){.cases = "3-6", .shard = "2/2"}, "00010100");
    assert_chosen((struct portion){.cases = "3-6", .shard = "5/5"}, "00000000");
}

static void groups_stay_together_whichever_of_their_members_are_chosen(void **state)
{
    (void)state;
    static const size_t groups[COUNT] = {0, 1, 1, 0, 4, 4, 0, 1};
    struct shard_item items[COUNT];
    bool keep[COUNT], seen[COUNT] = {false};
    for (size_t i = 0; i < COUNT; i++)
        items[i] = (struct shard_item){1, groups[i]};
    for (int shard = 1; shard <= 3; shard++) {
        AUTO(memory) char *text = mem_format("%d/3", shard);
        assert_ok(
            portion_choose(&(struct portion){.cases = "3-8", .shard = text}, items, COUNT, keep));
        assert_false(keep[0] || keep[1]);
        assert_int_equal(keep[2], keep[7]);
        assert_int_equal(keep[3], keep[6]);
        assert_int_equal(keep[4], keep[5]);
        for (size_t i = 2; i < COUNT; i++) {
            assert_false(seen[i] && keep[i]);
            seen[i] |= keep[i];
        }
    }
    for (size_t i = 2; i < COUNT; i++)
        assert_true(seen[i]);
}

static void positions_can_be_in_a_file(void **state)
{
    (void)state;
    file_make("cases", "2-3,8 \n\n");
    assert_chosen((struct portion){.cases = "cases"}, "01100001");
    assert_chosen((struct portion){.cases = "./cases"}, "01100001");
    file_make("7", "1");  // a file whose name is a number
    assert_chosen((struct portion){.cases = "7"}, "10000000");
    assert_chosen((struct portion){.cases = "6"}, "00000100");
    char none[COUNT + 1];
    assert_error(choose((struct portion){.cases = "missing"}, none), BILANX_E_SYSTEM, "missing");
    file_make("empty", "\n");
    assert_error(choose((struct portion){.cases = "empty"}, none), BILANX_E_INPUT,
                 "empty: '' is not a list of numbers");
}

static void positions_are_checked(void **state)
{
    (void)state;
    char none[COUNT + 1];
    assert_error(choose((struct portion){.cases = "0"}, none), BILANX_E_INPUT,
                 "0: there is no case 0: this suite has 8 cases");
    assert_error(choose((struct portion){.cases = "8-9"}, none), BILANX_E_INPUT,
                 "8-9: there is no case 9: this suite has 8 cases");
    assert_error(choose((struct portion){.cases = "1,x"}, none), BILANX_E_INPUT,
                 "1,x: '1,x' is not a list of numbers");
    assert_error(choose((struct portion){.shard = "3/2"}, none), BILANX_E_USAGE, "3/2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(a_portion_is_a_shard_or_some_positions),
        IN_OWN_FOLDER(shards_divide_only_the_chosen_positions),
        IN_OWN_FOLDER(groups_stay_together_whichever_of_their_members_are_chosen),
        IN_OWN_FOLDER(positions_can_be_in_a_file),
        IN_OWN_FOLDER(positions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cluster/site/json_keys.h"

#include <stdbool.h>

#include "base/list.h"
#include "own_folder.h"

struct thing {
    char *text;
    struct list texts;
    uint64_t count;
    double number;
    enum { FIRST, SECOND, THIRD } choice;
    bool flag;
};

#define AT(member) offsetof(struct thing, member)
static const struct json_key keys[] = {
    {"text", JSON_TEXT, AT(text)},
    {"texts", JSON_TEXTS, AT(texts)},
    {"count", JSON_COUNT, AT(count)},
    {"number", JSON_NUMBER, AT(number)},
    {"choice", JSON_ENUM, AT(choice)},
    {"flag", JSON_BOOL, AT(flag)},
    {0},
};

static void thing_done(struct thing *thing)
{
    free(thing->text);
    list_done(&thing->texts);
}
SCOPE_VALUE(thing, thing_done)

static struct bilanx_error read_thing(const char *json, struct thing *out)
{
    file_make("thing.json", json);
    return json_keys_read("thing.json", keys, out);
}

static void an_object_is_written_on_one_line_in_the_order_of_its_keys(void **state)
{
    (void)state;
    AUTO(thing) struct thing thing = {
        .text = mem_text("a \"b\""), .count = 3, .number = 0.5, .choice = THIRD, .flag = true};
    list_add(&thing.texts, "x");
    list_add(&thing.texts, "y z");
    assert_ok(json_keys_write("thing.json", keys, &thing));
    assert_file("thing.json",
                "{\"text\":\"a \\\"b\\\"\",\"texts\":[\"x\",\"y z\"],\"count\":3,\"number\":0.5,"
                "\"choice\":2,\"flag\":true}\n");
}

static void a_text_that_is_null_is_not_written_and_everything_else_is(void **state)
{
    (void)state;
    assert_ok(json_keys_write("thing.json", keys, &(struct thing){0}));
    assert_file("thing.json",
                "{\"texts\":[],\"count\":0,\"number\":0,\"choice\":0,\"flag\":false}\n");
}

static void every_kind_of_value_is_read(void **state)
{
    (void)state;
    AUTO(thing) struct thing thing = {0};
    assert_ok(
        read_thing("{\"flag\": true, \"choice\": 1, \"number\": -2.5, \"count\": 4000000000000,"
                   " \"texts\": [\"p\", \"q\"], \"text\": \"t\", \"unknown\": null}",
                   &thing));
    assert_string_equal(thing.text, "t");
    assert_int_equal(thing.texts.count, 2);
    assert_string_equal(thing.texts.items[0], "p");
    assert_string_equal(thing.texts.items[1], "q");
    assert_true(thing.count == 4000000000000);
    assert_true(thing.number == -2.5);
    assert_int_equal(thing.choice, SECOND);
    assert_true(thing.flag);
}

static void members_whose_keys_are_absent_stay_and_others_are_replaced(void **state)
{
    (void)state;
    AUTO(thing) struct thing thing = {
        .text = mem_text("before"), .count = 7, .number = 1.5, .choice = THIRD, .flag = true};
    assert_ok(read_thing("{}", &thing));
    assert_string_equal(thing.text, "before");
    assert_int_equal(thing.count, 7);
    assert_true(thing.number == 1.5 && thing.choice == THIRD && thing.flag);
    assert_ok(read_thing(
        "{\"text\":\"after\",\"count\":0,\"number\":2,\"choice\":0,\"flag\":false}", &thing));
    assert_string_equal(thing.text, "after");
    assert_int_equal(thing.count, 0);
    assert_true(thing.number == 2 && thing.choice == FIRST && !thing.flag);
}

static void a_value_of_another_kind_is_refused_by_its_key(void **state)
{
    (void)state;
    static const struct {
        const char *json, *refused;
    } wrong[] = {
        {"{\"text\":1}", "'text' cannot be a number"},
        {"{\"texts\":\"x\"}", "'texts' cannot be a string"},
        {"{\"texts\":[\"x\",2]}", "'texts' cannot be an array"},
        {"{\"count\":-1}", "'count' cannot be a number"},
        {"{\"count\":1.5}", "'count' cannot be a number"},
        {"{\"count\":\"1\"}", "'count' cannot be a string"},
        {"{\"number\":\"1\"}", "'number' cannot be a string"},
        {"{\"choice\":-1}", "'choice' cannot be a number"},
        {"{\"choice\":true}", "'choice' cannot be true"},
        {"{\"flag\":1}", "'flag' cannot be a number"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        AUTO(thing) struct thing thing = {0};
        struct bilanx_error error = read_thing(wrong[i].json, &thing);
        assert_int_equal(error.status, BILANX_E_INPUT);
        AUTO(memory) char *expected = mem_format("thing.json: %s", wrong[i].refused);
        assert_string_equal(error.text, expected);
    }
}

static void zero_is_a_count_and_a_choice(void **state)
{
    (void)state;
    AUTO(thing) struct thing thing = {.count = 5, .choice = THIRD};
    assert_ok(read_thing("{\"count\":0,\"choice\":0}", &thing));
    assert_int_equal(thing.count, 0);
    assert_int_equal(thing.choice, FIRST);
}

static void a_file_that_is_missing_or_not_json_is_an_error(void **state)
{
    (void)state;
    AUTO(thing) struct thing thing = {0};
    assert_error(json_keys_read("none.json", keys, &thing), BILANX_E_SYSTEM, "none.json");
    assert_error(read_thing("{", &thing), BILANX_E_INPUT, "thing.json:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_OWN_FOLDER(an_object_is_written_on_one_line_in_the_order_of_its_keys),
        IN_OWN_FOLDER(a_text_that_is_null_is_not_written_and_everything_else_is),
        IN_OWN_FOLDER(every_kind_of_value_is_read),
        IN_OWN_FOLDER(members_whose_keys_are_absent_stay_and_others_are_replaced),
        IN_OWN_FOLDER(a_value_of_another_kind_is_refused_by_its_key),
        IN_OWN_FOLDER(zero_is_a_count_and_a_choice),
        IN_OWN_FOLDER(a_file_that_is_missing_or_not_json_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

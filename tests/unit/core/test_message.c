#include "core/worker/message.h"

#include "base/mem.h"
#include "unit.h"

static struct message parsed(const char *line)
{
    struct message message;
    assert_ok(message_parse(line, strlen(line), &message));
    return message;
}

static void a_line_is_a_verb_and_pairs(void **state)
{
    (void)state;
    AUTO(message) struct message message = parsed("epoch  number=31250 text=a%20b=c  empty= ");
    assert_string_equal(message.verb, "epoch");
    assert_int_equal(message.count, 3);
    assert_string_equal(message_text(&message, "text"), "a b=c");
    assert_string_equal(message_text(&message, "empty"), "");
    assert_null(message_text(&message, "absent"));
    AUTO(message) struct message alone = parsed("close");
    assert_int_equal(alone.count, 0);
}

static void the_first_of_two_equal_keys_wins(void **state)
{
    (void)state;
    AUTO(message) struct message message = parsed("x a=1 a=2");
    assert_string_equal(message_text(&message, "a"), "1");
}

static void malformed_messages_are_rejected(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t size;
        const char *message;
    } cases[] = {
        {"", 0, "without a verb"},
        {" a=1", 4, "without a verb"},
        {"a=1", 3, "without a verb: 'a=1'"},
        {"x\0y", 3, "contains a NUL"},
        {"x a", 3, "message 'x': 'a' is not key=value"},
        {"x =a", 4, "'=a' is not key=value"},
        {"x a=%", 5, "bad escape in 'a'"},
        {"x a=%2", 6, "bad escape"},
        {"x a=%zz", 7, "bad escape"},
        {"x a=%2a", 7, "bad escape"},  // lower case is never written
        {"x a=%00", 7, "bad escape"},
        {"x %4=1", 6, "bad escape"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        // On the heap, so that sanitizers detect reads past the end.
        AUTO(memory) char *line = mem_resized(NULL, cases[i].size);
        memcpy(line, cases[i].line, cases[i].size);
        struct message message = {.count = 77};
        assert_error(message_parse(line, cases[i].size, &message), BILANX_E_INPUT,
                     cases[i].message);
        assert_int_equal(message.count, 77);
    }
}

static void assert_survives(const char *key, const char *value)
{
    AUTO(text) struct text line = {0};
    message_begin(&line, "verb");
    message_add(&line, key, value);
    message_end(&line);
    assert_int_equal(line.data[line.size - 1], '\n');
    AUTO(message) struct message message;
    assert_ok(message_parse(line.data, line.size - 1, &message));
    assert_int_equal(message.count, 1);
    assert_string_equal(message.pairs[0].key, key);
    assert_string_equal(message.pairs[0].value, value);
}

static void every_byte_survives_a_round_trip(void **state)
{
    (void)state;
    char bytes[256] = {0};
    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)i;
    assert_survives("key", bytes);
    assert_survives(bytes, "value");
    assert_survives("arg.tile size", "");
}

static void a_long_value_survives_a_round_trip(void **state)
{
    (void)state;
    AUTO(text) struct text value = {0};
    text_add_repeated(&value, "0123456789 %\n", 100000);
    assert_survives("key", text_get(&value));
}

static void numbers_are_read(void **state)
{
    (void)state;
    AUTO(message) struct message message = parsed("x a=1.5e-9 b=12 c=-3 d=x e= f=1e999");
    double number = 77;
    uint64_t count = 77;
    assert_ok(message_number(&message, "absent", &number));
    assert_ok(message_count(&message, "absent", &count));
    assert_near(number, 77, 0);
    assert_int_equal(count, 77);
    assert_ok(message_number(&message, "a", &number));
    assert_near(number, 1.5e-9, 0);
    assert_ok(message_count(&message, "b", &count));
    assert_int_equal(count, 12);
    assert_error(message_count(&message, "a", &count), BILANX_E_INPUT,
                 "'a=1.5e-9' is not a number");
    assert_error(message_count(&message, "c", &count), BILANX_E_INPUT, "message 'x': 'c=-3'");
    assert_error(message_number(&message, "d", &number), BILANX_E_INPUT, "'d=x'");
    assert_error(message_number(&message, "e", &number), BILANX_E_INPUT, "'e='");
    assert_error(message_number(&message, "f", &number), BILANX_E_INPUT, "'f=1e999'");
}

static void numbers_survive_a_round_trip(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 0, 1e300, 5e-324, 1.0 / 3};
    AUTO(text) struct text line = {0};
    message_begin(&line, "x");
    message_add_numbers(&line, "list", numbers, LENGTH(numbers));
    message_add_numbers(&line, "none", NULL, 0);
    message_add_number(&line, "nan", NAN);
    message_add_number(&line, "third", 1.0 / 3);
    message_add_count(&line, "most", UINT64_MAX);
    AUTO(message) struct message message = parsed(text_get(&line));
    assert_int_equal(message.count, 3);
    AUTO(memory) double *list = NULL;
    size_t size = 0;
    assert_ok(message_numbers(&message, "list", &list, &size));
    assert_int_equal(size, LENGTH(numbers));
    assert_memory_equal(list, numbers, sizeof numbers);
    double third = 0;
    uint64_t most = 0;
    assert_ok(message_number(&message, "third", &third));
    assert_ok(message_count(&message, "most", &most));
    assert_near(third, 1.0 / 3, 0);
    assert_true(most == UINT64_MAX);
}

static void lists_may_be_absent_but_not_malformed(void **state)
{
    (void)state;
    AUTO(message) struct message message = parsed("x a= b=1, c=,1 d=1,x");
    double *list = NULL;
    size_t size = 77;
    assert_ok(message_numbers(&message, "absent", &list, &size));
    assert_int_equal(size, 0);
    assert_null(list);
    assert_ok(message_numbers(&message, "a", &list, &size));
    assert_int_equal(size, 0);
    static const char *const torn[] = {"b", "c", "d"};
    for (size_t i = 0; i < LENGTH(torn); i++)
        assert_error(message_numbers(&message, torn[i], &list, &size), BILANX_E_INPUT,
                     "is not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_verb_and_pairs),
        cmocka_unit_test(the_first_of_two_equal_keys_wins),
        cmocka_unit_test(malformed_messages_are_rejected),
        cmocka_unit_test(every_byte_survives_a_round_trip),
        cmocka_unit_test(a_long_value_survives_a_round_trip),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(numbers_survive_a_round_trip),
        cmocka_unit_test(lists_may_be_absent_but_not_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "sources/commands/commands.h"

#include "unit.h"

#define COMMAND(...)                              \
    {.words = (const char *const[]){__VA_ARGS__}, \
     .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)}

static void a_command_keeps_its_words(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("./a b", "it's", "$HOME", "\xc3\xa9")};
    struct parameters none = {0};
    struct commands_options options = {.input = "in"};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 1, &none, &options, &commands));
    assert_int_equal(commands.count, 1);
    const struct commands_item *item = &commands.items[0];
    assert_int_equal(item->argv.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(item->argv.items[i], typed[0].words[i]);
    const char *line = "'./a b' 'it'\\''s' '$HOME' \xc3\xa9";
    assert_string_equal(item->measured.task.stmt, line);
    assert_null(item->measured.task.label);  // so that commands are rows of one table
    assert_string_equal(item->measured.name, line);
    assert_string_equal(item->measured.task.language, "command");
    assert_string_equal(item->measured.task.command,
                        "{\"argv\":[\"./a b\",\"it's\",\"$HOME\",\"\xc3\xa9\"],\"input\":\"in\"}");
    assert_null(item->measured.task.parameters);
    assert_true(commands.interleaved);
}

static void a_shell_gets_the_words_as_one_string(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a", "|", "b")};
    typed[0].prepare = "c > d; e";
    struct parameters none = {0};
    struct commands_options options = {.shell = "bash --norc"};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 1, &none, &options, &commands));
    const char *const expected[] = {"bash", "--norc", "-c", "a | b"};
    const struct commands_item *item = &commands.items[0];
    assert_int_equal(item->argv.count, LENGTH(expected));
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_string_equal(item->argv.items[i], expected[i]);
    assert_string_equal(item->prepare.argv.items[3], "c > d; e");
    assert_string_equal(item->measured.task.stmt, "a | b");
}

static void values_stay_within_their_word(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("cat", "{f}")};
    typed[0].name = "of {f}";
    typed[0].prepare = "touch {f} x";
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_list(&parameters, "f", "a b;rm,c"));
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 1, &parameters, &options, &commands));
    assert_int_equal(commands.count, 2);
    const struct commands_item *item = &commands.items[0];
    assert_int_equal(item->argv.count, 2);
    assert_string_equal(item->argv.items[1], "a b;rm");
    assert_int_equal(item->prepare.argv.count, 3);
    assert_string_equal(item->prepare.argv.items[1], "a b;rm");
    assert_string_equal(item->measured.name, "of a b;rm");
    assert_string_equal(item->measured.task.label, "of {f}");
    assert_string_equal(item->measured.task.sub_label, "f=a b;rm");
    assert_string_equal(item->measured.task.parameters, "{\"f\":\"a b;rm\"}");
}

static void each_command_has_the_parameters_it_uses(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a", "{n}", "{f}"), COMMAND("b", "{n}"),
                                        COMMAND("c")};
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "n", "1", "3", "1"));
    assert_ok(parameters_add_list(&parameters, "f", "x,y"));
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 3, &parameters, &options, &commands));
    assert_int_equal(commands.count, 6 + 3 + 1);
    assert_string_equal(commands.items[1].measured.name, "a 1 y");
    assert_string_equal(commands.items[1].measured.task.sub_label, "n=1 f=y");
    assert_string_equal(commands.items[1].measured.task.parameters, "{\"n\":1,\"f\":\"y\"}");
    assert_null(commands.items[1].measured.complexity);  // a fit over n would ignore f
    assert_string_equal(commands.items[6].measured.task.parameters, "{\"n\":1}");
    assert_string_equal(commands.items[6].measured.complexity, "n");
    assert_null(commands.items[9].measured.task.parameters);
    AUTO(parameters) struct parameters unused = {0};
    assert_ok(parameters_add_list(&unused, "z", "x,y"));
    AUTO(commands) struct commands nothing = {0};
    assert_error(commands_expand(typed, 3, &unused, &options, &nothing), BILANX_E_USAGE,
                 "no command uses the parameter {z}");
}

static void too_many_combinations_are_rejected(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a", "{n}", "{m}")};
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "n", "1", "200", "1"));
    assert_ok(parameters_add_scan(&parameters, "m", "1", "200", "1"));
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_error(commands_expand(typed, 1, &parameters, &options, &commands), BILANX_E_USAGE,
                 "more than 10000 commands");
}

static void labels_can_be_set(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a"), COMMAND("b")};
    typed[1].name = "new";
    struct parameters none = {0};
    struct commands_options options = {.label = "parse", .sub_label = "row", .env = "here"};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 2, &none, &options, &commands));
    const struct bilanx_task *task = &commands.items[1].measured.task;
    assert_string_equal(task->label, "parse");
    assert_string_equal(task->sub_label, "row");
    assert_string_equal(task->description, "new");
    assert_string_equal(task->env, "here");
    assert_string_equal(commands.items[1].measured.name, "new");
}

static void commands_with_different_setups_are_not_interleaved(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a"), COMMAND("b")};
    typed[0].setup = typed[1].setup = "make";
    struct parameters none = {0};
    struct commands_options options = {0};
    AUTO(commands) struct commands same = {0}, differ = {0}, asked = {0}, apart = {0};
    assert_ok(commands_expand(typed, 2, &none, &options, &same));
    assert_true(same.interleaved);
    typed[1].setup = "make b";
    assert_ok(commands_expand(typed, 2, &none, &options, &differ));
    assert_false(differ.interleaved);
    options.order = COMMANDS_INTERLEAVED;
    assert_ok(commands_expand(typed, 2, &none, &options, &asked));
    assert_true(asked.interleaved);
    typed[1].setup = "make";
    options.order = COMMANDS_SEQUENTIAL;
    assert_ok(commands_expand(typed, 2, &none, &options, &apart));
    assert_false(apart.interleaved);
}

static void a_long_line_has_a_short_name(void **state)
{
    (void)state;
    static char word[1 << 20];
    memset(word, 'x', sizeof word - 1);
    struct commands_template typed[] = {COMMAND("echo", word)};
    struct parameters none = {0};
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 1, &none, &options, &commands));
    assert_int_equal(strlen(commands.items[0].measured.task.stmt), sizeof word - 1 + 5);
    assert_int_equal(text_width(commands.items[0].measured.name), 60);
}

static void a_bad_hook_is_named(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a")};
    typed[0].cleanup = "rm 'x";
    struct parameters none = {0};
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_error(commands_expand(typed, 1, &none, &options, &commands), BILANX_E_USAGE,
                 "--cleanup: unclosed single quote");
    typed[0].cleanup = "  ";
    AUTO(commands) struct commands again = {0};
    assert_error(commands_expand(typed, 1, &none, &options, &again), BILANX_E_USAGE,
                 "--cleanup: it is empty");
}

static void commands_are_compared_with_the_first_of_the_same_parameters(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a", "{n}"), COMMAND("b", "{n}")};
    AUTO(parameters) struct parameters parameters = {0};
    assert_ok(parameters_add_scan(&parameters, "n", "1", "2", "1"));
    struct commands_options options = {0};
    AUTO(commands) struct commands both = {0}, alone = {0}, plain = {0};
    assert_ok(commands_expand(typed, 2, &parameters, &options, &both));
    assert_null(commands_reference(&both, &both.items[0]));
    assert_null(commands_reference(&both, &both.items[1]));
    assert_ptr_equal(commands_reference(&both, &both.items[2]), &both.items[0]);
    assert_ptr_equal(commands_reference(&both, &both.items[3]), &both.items[1]);
    assert_ok(commands_expand(typed, 1, &parameters, &options, &alone));
    assert_null(commands_reference(&alone, &alone.items[0]));
    assert_ptr_equal(commands_reference(&alone, &alone.items[1]), &alone.items[0]);
    struct commands_template base[] = {COMMAND("a"), COMMAND("b", "{n}")};
    assert_ok(commands_expand(base, 2, &parameters, &options, &plain));
    assert_null(commands_reference(&plain, &plain.items[0]));
    assert_ptr_equal(commands_reference(&plain, &plain.items[2]), &plain.items[0]);
}

static void a_reference_is_chosen_by_its_name(void **state)
{
    (void)state;
    struct commands_template typed[] = {COMMAND("a"), COMMAND("b"), COMMAND("c")};
    struct parameters none = {0};
    struct commands_options options = {0};
    AUTO(commands) struct commands commands = {0};
    assert_ok(commands_expand(typed, 3, &none, &options, &commands));
    const struct commands_item *items = commands.items;
    assert_null(commands_reference(&commands, &items[0]));
    assert_ptr_equal(commands_reference(&commands, &items[2]), &items[0]);
    assert_ok(commands_refer(&commands, "b"));
    assert_null(commands_reference(&commands, &items[1]));
    assert_ptr_equal(commands_reference(&commands, &items[0]), &items[1]);
    assert_ptr_equal(commands_reference(&commands, &items[2]), &items[1]);
    struct bilanx_error error = commands_refer(&commands, "d");
    assert_int_equal(error.status, BILANX_E_USAGE);
    assert_string_equal(error.text, "--reference 'd' is none of 'a', 'b', 'c'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_keeps_its_words),
        cmocka_unit_test(a_shell_gets_the_words_as_one_string),
        cmocka_unit_test(values_stay_within_their_word),
        cmocka_unit_test(each_command_has_the_parameters_it_uses),
        cmocka_unit_test(too_many_combinations_are_rejected),
        cmocka_unit_test(labels_can_be_set),
        cmocka_unit_test(commands_with_different_setups_are_not_interleaved),
        cmocka_unit_test(a_long_line_has_a_short_name),
        cmocka_unit_test(a_bad_hook_is_named),
        cmocka_unit_test(commands_are_compared_with_the_first_of_the_same_parameters),
        cmocka_unit_test(a_reference_is_chosen_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

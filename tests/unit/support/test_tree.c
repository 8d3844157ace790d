#include "support/yaml/tree.h"

#include "base/text.h"
#include "unit.h"

static struct bilanx_error load(const char *text, struct yaml *out)
{
    return tree_load_text(text, strlen(text), "f.yaml", out);
}

static void assert_refused(const char *text, const char *part)
{
    struct yaml yaml = {0};
    assert_error(load(text, &yaml), BILANX_E_INPUT, part);
    assert_null(yaml.name);
}

static void every_node_knows_its_position(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    assert_ok(load("a: 1\nlist:\n  - x\n  - {b: \"two\"}\n", &yaml));
    assert_int_equal(yaml.root.kind, YAML_MAP);
    assert_int_equal(yaml.root.count, 2);
    const struct tree_node *list = tree_get(&yaml.root, "list");
    assert_int_equal(list->kind, YAML_LIST);
    assert_int_equal(list->items[0].line, 3);
    assert_int_equal(list->items[0].column, 5);
    const struct tree_node *b = tree_get(&list->items[1], "b");
    assert_string_equal(b->text, "two");
    assert_int_equal(b->line, 4);
    assert_int_equal(b->column, 9);
    assert_null(tree_get(&yaml.root, "c"));
}

static void scalars_are_text_and_missing_values_are_recognised(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    assert_ok(load("[no, 1.50, '', ~, ]", &yaml));
    assert_string_equal(yaml.root.items[0].text, "no");
    assert_string_equal(yaml.root.items[1].text, "1.50");
    assert_false(yaml.root.items[2].nothing);
    AUTO(yaml) struct yaml empty = {0};
    assert_ok(load("a:\n", &empty));
    assert_true(tree_get(&empty.root, "a")->nothing);
}

static void aliases_are_expanded(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    assert_ok(load("a: &x {k: v}\nb: *x\n", &yaml));
    assert_string_equal(tree_get(tree_get(&yaml.root, "b"), "k")->text, "v");
}

static void mistakes_are_reported_with_position_and_advice(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: 'a' appears twice, first on line 1");
    assert_refused("a: b: c\n", "f.yaml:1:5: mapping values are not allowed in this context (is "
                                "the indentation right? Quote a text that contains ': ')");
    assert_refused("a:\n\t- b\n", "f.yaml:2:1: found character that cannot start any token (indent "
                                  "with spaces");
    assert_refused("a: *b\n", "f.yaml:1:4: found undefined alias (an alias '*name' needs");
    assert_refused("? [a]\n: b\n", "f.yaml:1:3: a key must be text, not a list");
    assert_refused("a: 1\n---\nb: 2\n", "f.yaml:3:1: a second document begins here");
    assert_refused("a: \"x\\0y\"\n", "f.yaml:1:4: text cannot contain a NUL character");
    assert_refused("", "f.yaml: the file is empty");
    assert_refused("a: \xff\n", "f.yaml:1:");
}

static void a_billion_laughs_are_rejected(void **state)
{
    (void)state;
    AUTO(text) struct text bomb = {0};
    text_add(&bomb, "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for (int i = 1; i < 12; i++) {
        text_format(&bomb, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_format(&bomb, "%s*a%d", k ? ", " : "", i - 1);
        text_add(&bomb, "]\n");
    }
    assert_refused(text_get(&bomb), "the file has over 200000 nodes with its aliases expanded");
}

static void depth_is_limited_and_cycles_are_detected(void **state)
{
    (void)state;
    AUTO(text) struct text deep = {0};
    text_add_repeated(&deep, "[", 500);
    text_add_repeated(&deep, "]", 500);
    assert_refused(text_get(&deep), "nested over 64 deep");
    text_clear(&deep);
    text_add_repeated(&deep, "[", 1000000);  // libyaml alone would take minutes
    assert_refused(text_get(&deep), "f.yaml:1:65: nested over 64 deep");
    assert_refused("a: &a [*a]\n", "does an alias contain itself?");
    text_clear(&deep);
    for (int i = 0; i < 100000; i++)
        text_format(&deep, "- &a%d x\n", i);
    assert_refused(text_get(&deep), "f.yaml:201:3: the file has over 200 anchors");
}

static void large_files_are_rejected(void **state)
{
    (void)state;
    AUTO(text) struct text large = {0};
    text_add_repeated(&large, "# comment\n", (YAML_LARGEST / 10) + 1);
    assert_refused(text_get(&large), "f.yaml: the file is over 4 megabytes");
}

static void assert_place(const struct yaml *yaml, const char *key, size_t offset, unsigned line,
                         unsigned column)
{
    unsigned at_line = 0, at_column = 0;
    const struct tree_node *node = tree_get(&yaml->root, key);
    assert_true(tree_find_place(yaml, node->text, offset, &at_line, &at_column));
    assert_int_equal(at_line, line);
    assert_int_equal(at_column, column);
}

static void a_character_of_a_text_is_located_in_the_file(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    assert_ok(load("# ü $\nplain: ab$c\nquoted: \"ü$d\"\nblock: |\n    one\n    two$e$f\n", &yaml));
    assert_place(&yaml, "plain", 2, 2, 10);
    assert_place(&yaml, "quoted", strlen("ü"), 3, 11);
    assert_place(&yaml, "block", strlen("one\ntwo$e"), 6, 10);
    assert_place(&yaml, "block", 0, 5, 5);
    unsigned line = 7, column = 7;
    assert_false(tree_find_place(&yaml, "elsewhere", 0, &line, &column));
    assert_int_equal(line, 7);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    struct yaml yaml = {0};
    assert_error(tree_load_file("/nonexistent.yaml", &yaml), BILANX_E_SYSTEM,
                 "cannot open '/nonexistent.yaml'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_knows_its_position),
        cmocka_unit_test(scalars_are_text_and_missing_values_are_recognised),
        cmocka_unit_test(aliases_are_expanded),
        cmocka_unit_test(mistakes_are_reported_with_position_and_advice),
        cmocka_unit_test(a_billion_laughs_are_rejected),
        cmocka_unit_test(depth_is_limited_and_cycles_are_detected),
        cmocka_unit_test(large_files_are_rejected),
        cmocka_unit_test(a_character_of_a_text_is_located_in_the_file),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

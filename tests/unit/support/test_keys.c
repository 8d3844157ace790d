#include "support/yaml/keys.h"

#include "unit.h"

struct part {
    const char *name;
    uint64_t size;
};

struct whole {
    const char *text;
    const char *const *texts;
    bool flag;
    uint64_t count;
    const uint64_t *counts;
    double seconds;
    struct part part;
    const struct part *parts;
    const struct tree_node *node;
};

static const struct tree_key part_keys[] = {
    {"name", YAML_AS_TEXT, offsetof(struct part, name), .needed = true, .help = "what it is"},
    {"size", YAML_AS_COUNT, offsetof(struct part, size)},
    {0},
};

#define AT(member) offsetof(struct whole, member)
static const struct tree_key keys[] = {
    {"text", YAML_AS_TEXT, AT(text)},
    {"texts", YAML_AS_TEXTS, AT(texts)},
    {"flag", YAML_AS_BOOL, AT(flag)},
    {"count", YAML_AS_COUNT, AT(count)},
    {"counts", YAML_AS_COUNTS, AT(counts)},
    {"seconds", YAML_AS_SECONDS, AT(seconds)},
    {"part", YAML_AS_STRUCT, AT(part), .keys = part_keys},
    {"parts", YAML_AS_STRUCTS, AT(parts), .keys = part_keys, .size = sizeof(struct part)},
    {"node", YAML_AS_NODE, AT(node)},
    {0},
};

static struct bilanx_error read_text(const char *text, struct yaml *yaml, struct whole *out)
{
    BILANX_TRY(tree_load_text(text, strlen(text), "k.yaml", yaml));
    return tree_read(yaml, &yaml->root, keys, "a thing", out);
}

static void each_type_is_read(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    struct whole whole = {.count = 5};
    assert_ok(read_text("text: 12\ntexts: [a, b]\nflag: Yes\ncounts: [1, 64k]\nseconds: 500ms\n"
                        "part: {name: p}\nparts: [{name: q, size: 3}, {name: r}]\nnode: {x: y}\n",
                        &yaml, &whole));
    assert_string_equal(whole.text, "12");
    assert_string_equal(whole.texts[1], "b");
    assert_null(whole.texts[2]);
    assert_true(whole.flag);
    assert_int_equal(whole.count, 5);  // not given, so unchanged
    assert_int_equal(whole.counts[1], 65536);
    assert_int_equal(whole.counts[2], 0);
    assert_near(whole.seconds, 0.5, 0);
    assert_string_equal(whole.part.name, "p");
    assert_int_equal(whole.parts[0].size, 3);
    assert_string_equal(whole.parts[1].name, "r");
    assert_null(whole.parts[2].name);
    assert_string_equal(tree_get(whole.node, "x")->text, "y");
}

static void a_single_value_is_a_list_of_one(void **state)
{
    (void)state;
    AUTO(yaml) struct yaml yaml = {0};
    struct whole whole = {0};
    assert_ok(read_text("texts: a\ncounts: 2\nparts: {name: q}\n", &yaml, &whole));
    assert_string_equal(whole.texts[0], "a");
    assert_null(whole.texts[1]);
    assert_int_equal(whole.counts[0], 2);
    assert_string_equal(whole.parts[0].name, "q");
    assert_null(whole.parts[1].name);
}

static void assert_refused(const char *text, const char *part)
{
    AUTO(yaml) struct yaml yaml = {0};
    struct whole whole = {0};
    assert_error(read_text(text, &yaml, &whole), BILANX_E_INPUT, part);
}

static void mistakes_are_reported_with_position_and_suggestion(void **state)
{
    (void)state;
    assert_refused("- a\n", "k.yaml:1:1: a thing must be a mapping, not a list");
    assert_refused("\ntexst: a\n", "k.yaml:2:1: unknown key 'texst' (did you mean 'text'?)");
    assert_refused("zzzzzzzz: a\n", "unknown key 'zzzzzzzz' (a thing has: text, texts, flag, ");
    assert_refused("part: {name: f(x, y)}\n",
                   "k.yaml:1:19: unknown key 'y)' without a value (inside { }, quote");
    assert_refused("text: [a]\n", "k.yaml:1:7: 'text' must be text, not a list");
    assert_refused("text:\n", "'text' must be text, not nothing");
    assert_refused("texts: [a, {b: c}]\n",
                   "k.yaml:1:12: 'texts' must be text or a list of texts, not a mapping");
    assert_refused("flag: maybe\n", "k.yaml:1:7: 'flag' must be true or false, not 'maybe'");
    assert_refused("count: 0\n",
                   "k.yaml:1:8: 'count' must be a whole number of at least 1, not '0'");
    assert_refused("counts: [1, -2]\n", "k.yaml:1:13: 'counts' must be a whole number");
    assert_refused("seconds: soon\n", "k.yaml:1:10: 'seconds' must be a time such as 30s");
    assert_refused("part: {size: 1}\n", "k.yaml:1:7: part needs 'name': what it is");
    assert_refused("parts: [{name: a}, {nam: b}]\n",
                   "k.yaml:1:21: unknown key 'nam' (did you mean 'name'?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_is_read),
        cmocka_unit_test(a_single_value_is_a_list_of_one),
        cmocka_unit_test(mistakes_are_reported_with_position_and_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

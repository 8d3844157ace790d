#include "profile/counted/contexts.h"

#include <string.h>

#include "base/text.h"
#include "unit.h"

// "main;f;g 12" of the only stack whose innermost frame has this name; NULL: none.
static char *stack_of(const struct stacks *stacks, const char *name)
{
    for (unsigned node = 1; node < stacks->node_count; node++) {
        if (strcmp(stacks->frames[stacks->nodes[node].frame].name, name) != 0 ||
            stacks->nodes[node].self == 0)
            continue;
        struct text text = {0};
        for (unsigned at = node; at; at = stacks->nodes[at].parent) {
            AUTO(text) struct text rest = text;
            text = (struct text){0};
            text_format(&text, "%s%s%s", stacks->frames[stacks->nodes[at].frame].name,
                        rest.size ? ";" : "", text_get(&rest));
        }
        text_format(&text, " %.0f", stacks->nodes[node].self);
        return text_take(&text);
    }
    return NULL;
}

static struct bilanx_function function(const char *name, double self)
{
    return (struct bilanx_function){.file = (char *)"/src/a.c",
                                    .function = (char *)name,
                                    .object = (char *)"/lib/a.so",
                                    .self = self};
}

static double add(struct stacks *stacks, const struct contexts_options *options,
                  struct bilanx_function *functions, size_t count)
{
    const struct bilanx_counts counts = {.functions = functions, .function_count = count};
    return contexts_add(&counts, options, stacks);
}

static void a_name_lists_the_callers(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("leaf'parse'main", 12),
                                          function("parse'main", 3), function("main", 0)};
    assert_near(add(stacks, &(struct contexts_options){.callers = 10}, functions, 3), 0, 0);
    AUTO(memory) char *leaf = stack_of(stacks, "leaf"), *parse = stack_of(stacks, "parse");
    assert_string_equal(leaf, "main;parse;leaf 12");
    assert_string_equal(parse, "main;parse 3");
    assert_null(stack_of(stacks, "main"));
}

static void what_the_loop_calls_to_go_on_belongs_to_the_loop(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    static const char *const bodies[] = {"body", NULL};
    struct bilanx_function functions[] = {
        function("body'main", 5),
        function("loop_next'bilanx_bench_next'body'main", 10),
        function("bilanx_next_(bilanx_loop*, unsigned long)'body'main", 100),
        function("f'body'main", 1000),
        function("bilanx_next_'f'body'main", 2000),
        function("bilanx_nextly'body'main", 4000),
    };
    add(stacks, &(struct contexts_options){.callers = 10, .bodies = bodies, .name = "case"},
        functions, LENGTH(functions));
    AUTO(memory) char *root = stack_of(stacks, "case"), *f = stack_of(stacks, "f");
    AUTO(memory) char *below = stack_of(stacks, "bilanx_next_");
    AUTO(memory) char *similar = stack_of(stacks, "bilanx_nextly");
    assert_string_equal(root, "case 115");
    assert_string_equal(f, "case;f 1000");
    assert_string_equal(below, "case;f;bilanx_next_ 2000");
    assert_string_equal(similar, "case;bilanx_nextly 4000");
    assert_null(stack_of(stacks, "loop_next"));
}

static void direct_recursion_is_a_level(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("fact'3'main", 5)};
    add(stacks, &(struct contexts_options){.callers = 10}, functions, 1);
    AUTO(memory) char *deepest = stack_of(stacks, "fact");
    assert_string_equal(deepest, "main;fact;fact;fact 5");
}

static void mutual_recursion_is_in_the_callers_already(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("even'2'odd'even'main", 5)};
    add(stacks, &(struct contexts_options){.callers = 10}, functions, 1);
    AUTO(memory) char *deepest = stack_of(stacks, "even");
    assert_string_equal(deepest, "main;even;odd;even 5");
}

static void a_name_with_all_the_callers_that_are_kept_is_cut(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("d'c'b", 7), function("c'b", 1)};
    assert_near(add(stacks, &(struct contexts_options){.callers = 2}, functions, 2), 7, 0);
    AUTO(memory) char *deep = stack_of(stacks, "d"), *shallow = stack_of(stacks, "c");
    assert_string_equal(deep, "[callers unknown];b;c;d 7");
    assert_string_equal(shallow, "b;c 1");
    unsigned root = stacks->nodes[0].child;
    while (root && stacks->frames[stacks->nodes[root].frame].kind != FRAME_CUT)
        root = stacks->nodes[root].sibling;
    assert_true(root);
}

static void the_body_of_a_case_is_the_root(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    const char *const bodies[] = {"bilanx_copies1", NULL};
    struct bilanx_function functions[] = {function("f'bilanx_copies1'call'main", 9),
                                          function("bilanx_copies1'call'main", 2)};
    struct contexts_options options = {.callers = 3, .bodies = bodies, .name = "f(x)"};
    assert_near(add(stacks, &options, functions, 2), 0, 0);
    AUTO(memory) char *inner = stack_of(stacks, "f"), *body = stack_of(stacks, "f(x)");
    assert_string_equal(inner, "f(x);f 9");
    assert_string_equal(body, "f(x) 2");
}

static void a_caller_has_the_file_of_its_own_row(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("leaf'main", 1), function("main", 1)};
    functions[1].file = (char *)"main.c";
    functions[1].object = (char *)"/bin/program";
    add(stacks, &(struct contexts_options){.callers = 10}, functions, 2);
    unsigned main_node = stacks->nodes[0].child;
    const struct stack_frame *frame = &stacks->frames[stacks->nodes[main_node].frame];
    assert_string_equal(frame->file, "main.c");
    assert_string_equal(frame->object, "program");
    assert_int_equal(stacks->nodes[0].child, main_node);
    assert_int_equal(stacks->nodes[main_node].sibling, 0);
}

static void an_address_has_no_leading_zeros(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct bilanx_function functions[] = {function("0x000000000001ab70", 1)};
    add(stacks, &(struct contexts_options){.callers = 10}, functions, 1);
    AUTO(memory) char *stack = stack_of(stacks, "0x1ab70");
    assert_string_equal(stack, "0x1ab70 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_lists_the_callers),
        cmocka_unit_test(what_the_loop_calls_to_go_on_belongs_to_the_loop),
        cmocka_unit_test(direct_recursion_is_a_level),
        cmocka_unit_test(mutual_recursion_is_in_the_callers_already),
        cmocka_unit_test(a_name_with_all_the_callers_that_are_kept_is_cut),
        cmocka_unit_test(the_body_of_a_case_is_the_root),
        cmocka_unit_test(a_caller_has_the_file_of_its_own_row),
        cmocka_unit_test(an_address_has_no_leading_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

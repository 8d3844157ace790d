#include "profile/stacks/stacks.h"

#include <stdlib.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "profile/stacks/stack_functions.h"
#include "profile/stacks/stacks_record.h"
#include "profile/stacks/trees.h"
#include "results/read/reader.h"
#include "stacks_made.h"
#include "unit.h"

static void equal_stacks_are_one_node(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;parse 2\nmain;parse 3\nmain 1\n");
    assert_int_equal(stacks->node_count, 3);
    assert_int_equal(stacks->frame_count, 2);
    assert_near(total_of(stacks, "main"), 6, 0);
    assert_near(total_of(stacks, "main;parse"), 5, 0);
}

static void frames_differ_in_name_file_object_and_kind(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    const struct stack_frame frames[] = {
        {.name = "f"},
        {.name = "f", .file = "a.c"},
        {.name = "f", .object = "a.c"},
        {.name = "f", .kind = FRAME_PYTHON},
        {.name = "g"},
    };
    for (unsigned i = 0; i < LENGTH(frames); i++)
        assert_int_equal(stacks_frame(stacks, &frames[i]), i);
    for (unsigned i = 0; i < LENGTH(frames); i++)
        assert_int_equal(stacks_frame(stacks, &frames[i]), i);
}

static void many_frames_and_paths_are_found_again(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    AUTO(stacks) struct stacks *stacks = stacks_new();
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++) {
            char name[32];
            snprintf(name, sizeof name, "f%u", i);
            unsigned path[] = {stacks_frame(stacks, &(struct stack_frame){.name = "main"}),
                               stacks_frame(stacks, &(struct stack_frame){.name = name})};
            stacks_add(stacks, path, 2, 1);
        }
    stacks_sum(stacks);
    assert_int_equal(stacks->frame_count, MANY + 1);
    assert_int_equal(stacks->node_count, MANY + 2);
    assert_near(stacks->nodes[0].total, 2 * MANY, 0);
}

static void parents_come_before_children(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("a;b;c 1\nd;b 1\na;c 1\na;b;d 1\n");
    size_t seen = 0;
    for (unsigned i = 1; i < stacks->node_count; i++)
        assert_true(stacks->nodes[i].parent < i);
    for (unsigned node = stacks_next(stacks, 0); node; node = stacks_next(stacks, node))
        seen++;
    assert_int_equal(seen, stacks->node_count - 1);
}

static void weight_without_a_stack_is_still_seen(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    stacks_add(stacks, NULL, 0, 3);
    stacks_sum(stacks);
    assert_near(total_of(stacks, "(no stack)"), 3, 0);
    assert_near(stacks->nodes[0].self, 0, 0);
}

static void merging_adds_below_a_node_and_scales(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("top 1\n");
    AUTO(stacks) struct stacks *other = made("main;parse 4\n");
    stacks_merge(stacks, 1, other, 0.5);
    stacks_sum(stacks);
    assert_near(total_of(stacks, "top;main;parse"), 2, 0);
    assert_near(total_of(stacks, "top"), 3, 0);
}

static void callers_of_a_function_stand_above_it(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks =
        made("main;parse;malloc 2\nmain;write;malloc;brk 3\nmain 5\nmain;malloc;x;malloc 7\n");
    AUTO(stacks) struct stacks *seen = NULL;
    assert_ok(stacks_focus(stacks, "malloc", STACKS_CALLERS, &seen));
    assert_near(seen->nodes[0].total, 12, 0);  // the nested malloc counts once
    assert_near(total_of(seen, "malloc;parse;main"), 2, 0);
    assert_near(total_of(seen, "malloc;write;main"), 3, 0);
    assert_near(total_of(seen, "malloc;main"), 7, 0);
}

static void callees_of_a_function_are_merged_from_all_callers(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("a;f;x 2\nb;f;x 3\nb;f 1\nc 9\na;f;y;f 4\n");
    AUTO(stacks) struct stacks *seen = NULL;
    assert_ok(stacks_focus(stacks, "f", STACKS_CALLEES, &seen));
    assert_near(seen->nodes[0].total, 10, 0);
    assert_near(total_of(seen, "f;x"), 5, 0);
    assert_near(total_of(seen, "f;y;f"), 4, 0);
}

static void a_part_of_a_name_is_enough_if_no_name_equals_it(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;parse_text 2\nmain;parse_number 3\n");
    AUTO(stacks) struct stacks *seen = NULL;
    assert_ok(stacks_focus(stacks, "parse_", STACKS_CALLERS, &seen));
    assert_near(seen->nodes[0].total, 5, 0);
    assert_error(stacks_focus(stacks, "parse_txt", STACKS_CALLERS, &seen), BILANX_E_USAGE,
                 "did you mean 'parse_text'?");
    assert_error(stacks_focus(stacks, "zzzzzzzzz", STACKS_CALLERS, &seen), BILANX_E_USAGE,
                 "no stack has a function 'zzzzzzzzz'");
}

static void frames_that_are_cut_become_one_small_frame(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks =
        made("main;a 50\nmain;b 30\nmain;c 2\nmain;d;e 1\nmain;b;f 1\n");
    AUTO(stacks) struct stacks *cut = stacks_cut(stacks, 5, SIZE_MAX);
    assert_near(cut->nodes[0].total, 84, 0);
    assert_near(total_of(cut, "main;a"), 50, 0);
    assert_near(total_of(cut, "main;(small frames)"), 3, 0);
    assert_near(total_of(cut, "main;b"), 31, 0);
    assert_near(total_of(cut, "main;b;(small frames)"), 1, 0);
    assert_near(total_of(cut, "main;c"), -1, 0);
}

static void the_heaviest_nodes_are_kept_connected(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("a;b;c;d;e 10\nx;y 9\nz 8\n");
    AUTO(stacks) struct stacks *cut = stacks_cut(stacks, 0, 6);
    assert_near(total_of(cut, "a;b;c;d;e"), 10, 0);
    assert_near(total_of(cut, "x"), 9, 0);
    assert_near(total_of(cut, "x;y"), -1, 0);  // as heavy as x, but further in
    assert_near(cut->nodes[0].total, 27, 0);
}

static void recursive_functions_count_once_per_stack(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;f;f;f 5\nmain;f;g;f 3\nmain;g 1\n");
    size_t count;
    AUTO(memory) struct stack_function *functions = stack_functions(stacks, 2, &count);
    assert_int_equal(count, 2);
    assert_string_equal(stacks->frames[functions[0].frame].name, "f");
    assert_near(functions[0].self, 8, 0);
    assert_near(functions[0].total, 8, 0);
    assert_string_equal(stacks->frames[functions[1].frame].name, "g");
    assert_near(functions[1].self, 1, 0);
    assert_near(functions[1].total, 4, 0);
}

static void only_functions_that_changed_are_listed_in_a_difference(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;f;x 5\nmain;g 3\n");
    AUTO(stacks) struct stacks *b = made("main;f;x 9\nmain;g 3\nmain;h 1\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    size_t count;
    AUTO(memory) struct stack_function *functions = stack_functions(change, 9, &count);
    static const char *const expected[] = {"x", "h", "main", "f"};
    assert_int_equal(count, LENGTH(expected));
    for (size_t i = 0; i < count; i++)
        assert_string_equal(change->frames[functions[i].frame].name, expected[i]);
    assert_near(functions[2].before[1], 8, 0);
    assert_near(functions[2].after[1], 13, 0);
}

static void deep_stacks_need_no_recursion(void **state)
{
    (void)state;
    enum { DEEP = 200000 };
    AUTO(stacks) struct stacks *stacks = stacks_new();
    AUTO(memory) unsigned *path = mem_array(unsigned, DEEP);
    for (unsigned i = 0; i < DEEP; i++)
        path[i] = stacks_frame(stacks, &(struct stack_frame){.name = i % 2 ? "odd" : "even"});
    stacks_add(stacks, path, DEEP, 1);
    stacks_sum(stacks);
    size_t count;
    AUTO(memory) struct stack_function *functions = stack_functions(stacks, 9, &count);
    assert_near(functions[1].total, 1, 0);
    AUTO(stacks) struct stacks *cut = stacks_cut(stacks, 0, 1000);
    assert_int_equal(cut->node_count, 1002);
}

static void a_difference_keeps_vanished_functions(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;old 4\nmain;both 6\n");
    AUTO(stacks) struct stacks *b = made("main;new 3\nmain;both 9\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    const double *old = change->changes[find(change, "main;old")].total;
    assert_near(old[0], 4, 0);
    assert_near(old[1], 0, 0);
    const double *all = change->changes[0].total;
    assert_near(all[0], 10, 0);
    assert_near(all[1], 12, 0);
    assert_near(total_of(change, "main"), 4 + 3 + 9, 0);  // widths are the larger of both
}

static void a_cut_difference_keeps_both_sides(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;big 90\nmain;s1 1\nmain;s2 2\n");
    AUTO(stacks) struct stacks *b = made("main;big 80\nmain;s1 2\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    AUTO(stacks) struct stacks *cut = stacks_cut(change, 10, SIZE_MAX);
    const double *small = cut->changes[find(cut, "main;(small frames)")].total;
    assert_near(small[0], 3, 0);
    assert_near(small[1], 2, 0);
    assert_near(cut->changes[0].total[0], 93, 0);
    assert_near(cut->changes[0].total[1], 82, 0);
}

static void builds_may_differ_in_paths_lines_and_inlining(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = stacks_new();
    AUTO(stacks) struct stacks *b = stacks_new();
    const struct stack_frame of_a[] = {
        {.name = "f", .object = "/old/lib.so"},
        {.name = "g_[i]", .kind = FRAME_INLINED},
        {.name = "h", .file = "/x/m.py:3", .kind = FRAME_PYTHON},
    };
    const struct stack_frame of_b[] = {
        {.name = "f", .object = "/new/lib.so", .file = "f.c"},
        {.name = "g"},
        {.name = "h", .file = "/y/m.py:7", .kind = FRAME_PYTHON},
    };
    unsigned path_a[3], path_b[3];
    for (size_t i = 0; i < 3; i++) {
        path_a[i] = stacks_frame(a, &of_a[i]);
        path_b[i] = stacks_frame(b, &of_b[i]);
    }
    stacks_add(a, path_a, 3, 1);
    stacks_add(b, path_b, 3, 1);
    stacks_sum(a);
    stacks_sum(b);
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    assert_int_equal(change->node_count, 4);
}

static void normalizing_compares_shares(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;f 1\nmain;g 3\n");
    AUTO(stacks) struct stacks *b = made("main;f 10\nmain;g 30\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_NORMALIZED, &change));
    const double *f = change->changes[find(change, "main;f")].total;
    assert_near(f[0], 10, 1e-12);
    assert_near(f[1], 10, 1e-12);
}

static void samples_become_nanoseconds_per_call(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;f 25\nmain;g 75\n");
    AUTO(stacks) struct stacks *b = made("main;f 50\nmain;g 50\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_false(stacks_have_calls(a));
    a->calls = 1e6;
    assert_false(stacks_have_calls(a));  // samples also need the time
    a->seconds = 2;
    b->calls = 4e6;
    b->seconds = 4;
    assert_true(stacks_have_calls(a) && stacks_have_calls(b));
    assert_ok(stacks_difference(a, b, STACKS_PER_CALL, &change));
    assert_string_equal(change->unit, "nanoseconds per call");
    assert_true(stacks_are_times(change));
    const double *f = change->changes[find(change, "main;f")].total;
    assert_near(f[0], 500, 1e-9);
    assert_near(f[1], 500, 1e-9);
    assert_near(change->changes[0].total[0], 2000, 1e-9);
    assert_near(change->changes[0].total[1], 1000, 1e-9);
    AUTO(stacks) struct stacks *alone = stacks_per_call(a);
    assert_string_equal(alone->unit, "nanoseconds per call");
    assert_near(total_of(alone, "main"), 2000, 1e-9);
    assert_near(total_of(alone, "main;f"), 500, 1e-9);
    assert_false(stacks_have_calls(alone));  // or they would be divided again
}

static void samples_are_parts_of_a_measured_time(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;f 25\nmain;g 75\n");
    AUTO(stacks) struct stacks *b = made("main;f 60\nmain;g 60\n");
    AUTO(stacks) struct stacks *change = NULL;
    a->calls = b->calls = 1e6;
    a->seconds = b->seconds = 2;  // which would be 2000 ns
    assert_false(stacks_are_timed(a));
    a->timed_s = 100e-9;
    b->timed_s = 110e-9;
    assert_true(stacks_are_timed(a) && stacks_have_calls(a));
    AUTO(stacks) struct stacks *alone = stacks_per_call(a);
    assert_near(total_of(alone, "main"), 100, 1e-9);
    assert_near(total_of(alone, "main;f"), 25, 1e-9);
    assert_false(stacks_are_timed(alone));
    assert_ok(stacks_difference(a, b, STACKS_PER_CALL, &change));
    assert_near(change->changes[0].total[0], 100, 1e-9);
    assert_near(change->changes[0].total[1], 110, 1e-9);
    assert_near(change->changes[find(change, "main;f")].total[1], 55, 1e-9);
    stacks_set_unit(a, "instructions");
    assert_false(stacks_are_timed(a));
}

static void a_part_has_its_part_of_the_time(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;f 25\nmain;g 75\n");
    struct stacks *part;
    stacks->calls = 10;
    stacks->seconds = 4;
    stacks->timed_s = 100e-9;
    stacks_add_epoch(stacks, (struct stack_epoch){10, 4});
    assert_ok(stacks_focus(stacks, "f", STACKS_CALLEES, &part));
    assert_near(part->seconds, 1, 1e-12);
    assert_near(part->timed_s, 25e-9, 1e-18);
    assert_int_equal(part->epoch_count, 0);
    stacks_free(part);
}

static void different_units_are_not_compared(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main 1\n");
    AUTO(stacks) struct stacks *b = made("main 1\n");
    struct stacks *change;
    stacks_set_unit(b, "instructions");
    assert_error(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change), BILANX_E_USAGE,
                 "A counts samples and B counts instructions: use --normalize");
}

// Writes stacks as a record, reads it, and returns what it holds.
static struct stacks *through_json(const struct stacks *stacks)
{
    AUTO(bilanx_record) struct bilanx_record record = {.kind = mem_text("stacks")};
    AUTO(bilanx_record) struct bilanx_record again = {0};
    record.stacks = stacks_to_record(stacks);
    AUTO(memory) char *json = bilanx_record_json(&record);
    assert_ok(bilanx_record_read(json, strlen(json), "here", &again));
    AUTO(memory) char *second = bilanx_record_json(&again);
    assert_string_equal(json, second);
    return stacks_of_record(again.stacks);
}

static void a_record_keeps_everything(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;parse 2.5\nmain;lex \"<&> 3\nmain 1\n");
    unsigned path[FRAME_KINDS];
    for (int kind = 0; kind < FRAME_KINDS; kind++)
        path[kind] = stacks_frame(stacks, &(struct stack_frame){.name = "k",
                                                                .file = "f.py:1",
                                                                .object = "o.so",
                                                                .kind = (enum frame_kind)kind});
    stacks_add(stacks, path, FRAME_KINDS, 7);
    stacks_sum(stacks);
    stacks->title = mem_text("a title");
    stacks->note = mem_text("a note");
    stacks->calls = 10;
    stacks->seconds = .5;
    stacks->lost = 3;
    stacks->timed_s = 1e-7;
    stacks->overhead = .01;
    stacks_add_epoch(stacks, (struct stack_epoch){4, .2});
    stacks_add_epoch(stacks, (struct stack_epoch){6, 0});
    AUTO(stacks) struct stacks *again = through_json(stacks);
    assert_int_equal(again->node_count, stacks->node_count);
    for (size_t i = 0; i < stacks->node_count; i++) {
        assert_int_equal(again->nodes[i].parent, stacks->nodes[i].parent);
        assert_near(again->nodes[i].total, stacks->nodes[i].total, 0);
    }
    for (size_t i = 0; i < stacks->frame_count; i++) {
        assert_string_equal(again->frames[i].name, stacks->frames[i].name);
        assert_int_equal(again->frames[i].kind, stacks->frames[i].kind);
    }
    assert_string_equal(again->frames[again->frame_count - 1].file, "f.py:1");
    assert_string_equal(again->frames[again->frame_count - 1].object, "o.so");
    assert_string_equal(again->unit, "samples");
    assert_string_equal(again->title, "a title");
    assert_string_equal(again->note, "a note");
    assert_near(again->calls + again->seconds + again->lost, 13.5, 0);
    assert_near(again->timed_s, 1e-7, 0);
    assert_near(again->overhead, .01, 0);
    assert_int_equal(again->epoch_count, 2);
    assert_near(again->epochs[0].seconds, .2, 0);
    assert_near(again->epochs[1].calls, 6, 0);
    assert_near(again->epochs[1].seconds, 0, 0);
}

static void a_record_of_a_difference_keeps_both_sides(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *a = made("main;old 4\nmain;both 6\n");
    AUTO(stacks) struct stacks *b = made("main;new 3\nmain;both 9\n");
    AUTO(stacks) struct stacks *change = NULL;
    assert_ok(stacks_difference(a, b, STACKS_AS_THEY_ARE, &change));
    AUTO(stacks) struct stacks *again = through_json(change);
    assert_non_null(again->changes);
    assert_near(again->changes[0].total[0], 10, 0);
    assert_near(again->changes[0].total[1], 12, 0);
    assert_near(total_of(again, "main"), total_of(change, "main"), 0);
}

static void a_record_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *stacks, *cause;
    } wrong[] = {
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":[1],\"node_parents\":[0],\"node_weights\":["
         "1]",
         "'stacks.node_frames[0]' names no frame"},
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":[0],\"node_parents\":[1],\"node_weights\":["
         "1]",
         "'stacks.node_parents[0]' must be a node before it, or 0"},
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":[0],\"node_parents\":[0],\"node_weights\":["
         "-1]",
         "negative weight"},
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":[0],\"node_parents\":[0],\"node_weights\":["
         "]",
         "differ in length"},
        {"\"epoch_calls\":[1,2],\"epoch_seconds\":[1]",
         "'stacks.epoch_calls' has 2 elements, but 'stacks.epoch_seconds' has 1"},
        {"\"frames\":[{\"file\":\"f\"}],\"node_frames\":[0],\"node_parents\":[0],\"node_weights\":["
         "1]",
         "'stacks.frames[0]' has no name"},
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":[0],\"node_parents\":[-1],\"node_weights\":"
         "[1]",
         "'stacks.node_parents[0]' must be a whole number of at least 0"},
        {"\"frames\":[{\"name\":\"f\"}],\"node_frames\":7,\"node_parents\":[0],\"node_weights\":["
         "1]",
         "'stacks.node_frames' must be an array of whole numbers"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct bilanx_record record;
        AUTO(memory) char *json = mem_format(
            "{\"schema\":\"bilanx/1\",\"kind\":\"stacks\",\"stacks\":{%s}}", wrong[i].stacks);
        assert_error(bilanx_record_read(json, strlen(json), "here", &record), BILANX_E_INPUT,
                     wrong[i].cause);
    }
    static const char none[] = "{\"schema\":\"bilanx/1\",\"kind\":\"stacks\"}";
    struct bilanx_record record;
    assert_error(bilanx_record_read(none, strlen(none), "here", &record), BILANX_E_INPUT,
                 "has no 'stacks'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_one_node),
        cmocka_unit_test(frames_differ_in_name_file_object_and_kind),
        cmocka_unit_test(many_frames_and_paths_are_found_again),
        cmocka_unit_test(parents_come_before_children),
        cmocka_unit_test(weight_without_a_stack_is_still_seen),
        cmocka_unit_test(merging_adds_below_a_node_and_scales),
        cmocka_unit_test(callers_of_a_function_stand_above_it),
        cmocka_unit_test(callees_of_a_function_are_merged_from_all_callers),
        cmocka_unit_test(a_part_of_a_name_is_enough_if_no_name_equals_it),
        cmocka_unit_test(frames_that_are_cut_become_one_small_frame),
        cmocka_unit_test(the_heaviest_nodes_are_kept_connected),
        cmocka_unit_test(recursive_functions_count_once_per_stack),
        cmocka_unit_test(only_functions_that_changed_are_listed_in_a_difference),
        cmocka_unit_test(deep_stacks_need_no_recursion),
        cmocka_unit_test(a_difference_keeps_vanished_functions),
        cmocka_unit_test(a_cut_difference_keeps_both_sides),
        cmocka_unit_test(builds_may_differ_in_paths_lines_and_inlining),
        cmocka_unit_test(normalizing_compares_shares),
        cmocka_unit_test(samples_become_nanoseconds_per_call),
        cmocka_unit_test(samples_are_parts_of_a_measured_time),
        cmocka_unit_test(a_part_has_its_part_of_the_time),
        cmocka_unit_test(different_units_are_not_compared),
        cmocka_unit_test(a_record_keeps_everything),
        cmocka_unit_test(a_record_of_a_difference_keeps_both_sides),
        cmocka_unit_test(a_record_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

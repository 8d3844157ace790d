#include "count/counts/callgrind.h"

#include "base/text.h"
#include "callgrind_files.h"

struct parts {
    struct bilanx_counts *items;
    size_t count;
};

static void parts_done(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        counts_done(&parts->items[i]);
    free(parts->items);
}
SCOPE_VALUE(parts, parts_done)

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void show(const struct parts *parts, struct text *out)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct bilanx_counts *part = &parts->items[i];
        text_format(out, "= %.0f%s%s\n", part->instructions, part->events ? " " : "",
                    part->events ? part->events : "");
        for (size_t j = 0; j < part->function_count; j++) {
            const struct bilanx_function *function = &part->functions[j];
            text_format(out, "%.0f %.0f %s:%s [%s]\n", function->self, function->inclusive,
                        or_dash(function->file), or_dash(function->function),
                        or_dash(function->object));
        }
    }
}

static void assert_read(const char *file, const char *expected)
{
    AUTO(parts) struct parts parts = {0};
    AUTO(text) struct text shown = {0};
    write_text("file", file);
    assert_ok(counts_read_callgrind("file", &parts.items, &parts.count));
    show(&parts, &shown);
    assert_string_equal(text_get(&shown), expected);
}

static void assert_refused(const char *file, const char *part)
{
    struct parts parts = {0};
    write_text("file", file);
    assert_error(counts_read_callgrind("file", &parts.items, &parts.count), BILANX_E_INPUT, part);
    assert_null(parts.items);
}

#define EXTENDED                                                                      \
    "fl=(1) file1.c\nfn=(1) main\n16 20\ncfn=(2) func1\ncalls=1 50\n16 400\n"         \
    "cfi=(2) file2.c\ncfn=(3) func2\ncalls=3 20\n16 400\n\nfn=(2)\n51 100\ncfi=(2)\n" \
    "cfn=(3)\ncalls=2 20\n51 300\n\nfl=(2)\nfn=(3)\n20 700\n"
#define EXTENDED_ROWS                                        \
    "700 700 file2.c:func2 [-]\n100 400 file1.c:func1 [-]\n" \
    "20 820 file1.c:main [-]\n"

static void the_example_in_the_manual_is_read(void **state)
{
    (void)state;
    assert_read("# callgrind format\nevents: Ir\n\n" EXTENDED, "= 820\n" EXTENDED_ROWS);
    assert_read("version: 1\r\ncreator: x\r\npositions: line\r\nevents: Ir\r\nsummary: 4\r\n"
                "fn=f\r\n1 4\r\ntotals: 4\r\n",
                "= 4\n4 4 -:f [-]\n");
}

static void names_may_be_defined_before_use_and_redefined(void **state)
{
    (void)state;
    assert_read("events: Ir\nfl=(1) a.c\nfl=(2) b.c\nfn=(1) f\nfn=(2) g\nob=(1) lib\n"
                "fl=(1)\nfn=(2)\n1 2\nfl=(2)\nfn=(1)\n1 3\n",
                "= 5\n3 3 b.c:f [lib]\n2 2 a.c:g [lib]\n");
    assert_read("events: Ir\nfn=(4000000000) f\n1 2\nfn=(18446744073709551615) g\n1 1\n"
                "fn=(4000000000)\n1 2\nfn=(4000000000) h\n1 1\n",
                "= 6\n4 4 -:f [-]\n1 1 -:h [-]\n1 1 -:g [-]\n");
}

static void many_compressed_names_are_kept_apart(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    AUTO(text) struct text file = {0}, expected = {0};
    text_add(&file, "events: Ir\n");
    for (int i = 0; i < MANY; i++)
        text_format(&file, "fn=(%llu) f%d\n", (unsigned long long)i * 1000003, i);
    for (int i = 0; i < MANY; i++)
        text_format(&file, "fn=(%llu)\n1 %d\n", (unsigned long long)i * 1000003, i + 1);
    text_format(&expected, "= %d\n", MANY * (MANY + 1) / 2);
    for (int i = MANY - 1; i >= 0; i--)
        text_format(&expected, "%d %d -:f%d [-]\n", i + 1, i + 1, i);
    assert_read(text_get(&file), text_get(&expected));
}

// cfi, cfl and fl share numbers of files; cob and ob of objects; cfn and fn of functions.
static void callees_share_the_numbers_of_their_kind(void **state)
{
    (void)state;
    assert_read("events: Ir\nob=(1) prog\nfl=(1) a.c\nfn=(1) f\n1 1\n"
                "cob=(2) lib\ncfl=(2) b.c\ncfn=(2) g\ncalls=1 5\n2 10\n"
                "ob=(2)\nfl=(2)\nfn=(2)\n5 10\n",
                "= 11\n10 10 b.c:g [lib]\n1 11 a.c:f [prog]\n");
}

static void a_name_in_parentheses_is_not_a_number(void **state)
{
    (void)state;
    assert_read("events: Ir\nfn=(anonymous namespace)::f()\n1 2\nfn=(1) (below main)\n1 1\nfn=(1)\n"
                "1 1\n",
                "= 4\n2 2 -:(below main) [-]\n2 2 -:(anonymous namespace)::f() [-]\n");
}

// --separate-callers=2 --compress-mangled=yes
static void nested_compressed_names_are_expanded(void **state)
{
    (void)state;
    assert_read("events: Ir\nfn=(1) f\nfn=(2) g\nfn=(3) (1)'2'(2)\n1 5\nfn=(3)\n1 1\n",
                "= 6\n6 6 -:f'2'g [-]\n");
    assert_refused("events: Ir\nfn=(1) f\nfn=(3) (1)'(9)\n1 5\n", "file:3: the name (9) is used");
}

static void inlined_code_is_counted_under_its_own_file(void **state)
{
    (void)state;
    assert_read("events: Ir\nfl=a.c\nfn=f\n1 1\nfi=a.h\n7 10\nfe=a.c\n2 2\nfi=a.h\n8 20\n",
                "= 33\n30 30 a.h:f [-]\n3 3 a.c:f [-]\n");
}

static void positions_may_be_relative_or_hexadecimal(void **state)
{
    (void)state;
    assert_read("positions: instr line\nevents: Ir\nfn=f\n0x80001234 90 1\n+3 * 5\n+1 +1 6\n"
                "0xFFFFFFFFFFFFFFFF -1 0x10\n* * 1\n",
                "= 29\n29 29 -:f [-]\n");
    assert_read("positions: instr\nevents: Ir\nfn=f\n0x10 7\n", "= 7\n7 7 -:f [-]\n");
    assert_refused("positions: instr line\nevents: Ir\nfn=f\n0x10\n", "file:4: a position must be");
    assert_refused("events: Ir\nfn=f\n+ 1\n", "file:3: a position must be");
    assert_refused("events: Ir\nfn=f\n1x 1\n", "file:3: a position must be");
}

static void jumps_cost_nothing(void **state)
{
    (void)state;
    assert_read(
        "positions: instr line\nevents: Ir\nfl=(1) a.c\nfn=(1) f\n0x10 1 3\n"
        "jcnd=2/3 +16 *\n* *\njump=4 +16 *\n* *\njfi=(2) b.c\njfn=(2) g\njump=1 +1 +1\n* *\n"
        "+1 +1 4\nfl=(2)\nfn=(2)\n0x80 1 1\n",
        "= 8\n7 7 a.c:f [-]\n1 1 b.c:g [-]\n");
}

static void missing_costs_are_zero_and_other_events_are_kept(void **state)
{
    (void)state;
    assert_read(
        "event: Dr : Data Read\nevents: Ir Dr Dw\nsummary: 12 3\nfn=f\n1 5 3\n2 7\n3\n4 . .\n"
        "totals: 12 3\n",
        "= 12 {\"Dr\":3,\"Dw\":0}\n12 12 -:f [-]\n");
    assert_read("events: Cycles Ir\nfn=f\n1 50 5\n", "= 5 {\"Cycles\":50}\n5 5 -:f [-]\n");
    assert_refused("events: Ir\nfn=f\n1 5 3\n", "file:3: more costs than");
    assert_refused("events: Ir Ir\nfn=f\n1 5 3\n", "file:1: an event is named twice: 'Ir'");
    assert_refused("events: Cycles\nfn=f\n1 5\n", "'Ir' is not among its events");
}

static void each_part_stands_alone_except_for_names(void **state)
{
    (void)state;
    assert_read("version: 1\npid: 1\npart: 1\nevents: Ir\nsummary: 3\nfl=(1) a.c\nfn=(1) f\n1 3\n"
                "totals: 3\n\npart: 2\ndesc: Trigger: x\npositions: instr line\nevents: Dr Ir\n"
                "summary: 1 4\nfl=(1)\nfn=(1)\n0x1 +1 1 4\ntotals: 1 4\npart: 3\nevents: Ir\n"
                "totals: 0\n",
                "= 3\n3 3 a.c:f [-]\n= 4 {\"Dr\":1}\n4 4 a.c:f [-]\n= 0\n");
    assert_refused("events: Ir\nfn=f\n1 3\npart: 2\nevents: Ir\n1 4\n",
                   "file:6: a cost outside of a function");
    assert_refused("events: Ir\nfn=f\n1 3\npart: 2\n", "no line 'events:' in its last part");
}

static void a_call_that_began_in_an_earlier_part_still_counts(void **state)
{
    (void)state;
    assert_read("events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=0 5\n1 7\nfn=f\n5 7\ntotals: 8\n",
                "= 8\n7 7 a.c:f [-]\n1 8 a.c:main [-]\n");
}

static void recursion_is_not_counted_twice(void **state)
{
    (void)state;
    assert_read("events: Ir\nfn=main\n1 1\ncfn=fib\ncalls=1 1\n1 100\nfn=fib\n2 100\ncfn=fib\n"
                "calls=9 2\n2 900\n",
                "= 101\n100 100 -:fib [-]\n1 101 -:main [-]\n");
    // Called only by itself: it was running when collection began.
    assert_read("events: Ir\nfn=fib\n2 100\ncfn=fib\ncalls=9 2\n2 900\n",
                "= 100\n100 100 -:fib [-]\n");
    // For indirect recursion the cost of calls is an upper bound, and so is the total.
    assert_read("events: Ir\nfn=odd\n1 10\ncfn=even\ncalls=3 1\n1 90\nfn=even\n2 10\ncfn=odd\n"
                "calls=3 1\n1 15\n",
                "= 20\n10 15 -:odd [-]\n10 20 -:even [-]\n");
}

static void costs_must_add_up_to_the_stated_totals(void **state)
{
    (void)state;
    assert_refused("events: Ir\nfn=f\n1 5\ntotals: 6\n",
                   "file:4: 'totals:' says 6 Ir, but the costs of its part add up to 5");
    assert_refused("events: Ir\nsummary: 820\nfl=a\nfn=main\n16 20\n",
                   "file:2: 'summary:' says 820 Ir, but the costs of its part add up to 20");
    assert_refused("events: Ir Dr\nfn=f\n1 5 2\ntotals: 5\n", "'totals:' says 0 Dr");
    assert_refused("events: Ir\nfn=f\n1 5\ntotals: 6\npart: 2\nevents: Ir\nfn=f\n1 1\n",
                   "file:4: 'totals:' says 6 Ir");
    // With cache simulation, callgrind's summary is off by the block that contains the dump.
    assert_read("events: Ir\nsummary: 6\nfn=f\n1 5\ntotals: 5\n", "= 5\n5 5 -:f [-]\n");
}

static void numbers_and_events_beyond_the_limits_are_rejected(void **state)
{
    (void)state;
    assert_refused("events: Ir\nfn=f\n1 18446744073709551615\n2 1\n",
                   "file:4: the sum of the costs");
    assert_refused("events: Ir\nfn=f\n1 18446744073709551616\n", "file:3: a cost must be");
    assert_refused("events: Ir\nfn=(18446744073709551616) f\n",
                   "file:2: a name's number must look");
    AUTO(text) struct text events = {0};
    text_add(&events, "events:");
    for (int i = 0; i < 65; i++)
        text_format(&events, " E%d", i);
    assert_refused(text_get(&events), "file:1: more than 64 events");
}

static void a_file_not_written_by_callgrind_is_rejected(void **state)
{
    (void)state;
    assert_refused("", "not a callgrind file");
    assert_refused("version: 1\ncreator: x\n", "it has no line 'events:'");
    assert_refused("version: 2\nevents: Ir\n", "file:1: this bilanx reads version 1");
    assert_refused("{\"schema\":\"bilanx/1\"}\n", "file:1: not a line of callgrind's format: '{");
    assert_refused("events: Ir\nfn=f\n1 5\nxyz=3\n",
                   "file:4: not a line of callgrind's format: 'xyz=3'");
    assert_refused("events: Ir\n\x1b[31m\n", "'\\x1b[31m'");
    assert_refused("fn=f\n1 5\n", "file:2: a cost before the line 'events:'");
    assert_refused("events: Ir\n1 5\n", "file:2: a cost outside of a function");
    assert_refused("events:\n", "file:1: 'events:' is empty");
    assert_refused("events: Ir\nevents: Ir\n", "file:2: a second line 'events:'");
    assert_refused("events: Ir\nfn=(7)\n", "file:2: the name (7) is used");
    assert_refused("events: Ir\nfn=f\n1 0x\n", "file:3: a cost must be");
    assert_refused("events: Ir\nfn=f\n1 5.5\n", "file:3: a cost must be");
    assert_refused("totals: 3\n", "file:1: a sum before");
    struct parts parts = {0};
    write_bytes("file", "events: Ir\nfn=f\0g\n", 18);
    assert_error(counts_read_callgrind("file", &parts.items, &parts.count), BILANX_E_INPUT,
                 "file:2: a NUL byte");
    assert_error(counts_read_callgrind("missing", &parts.items, &parts.count), BILANX_E_SYSTEM,
                 "cannot open 'missing'");
}

static void an_incomplete_call_is_rejected(void **state)
{
    (void)state;
    assert_refused("events: Ir\nfn=f\n1 5\ncfn=g\ncalls=1 2\n",
                   "file:5: 'calls=' is not followed by its cost");
    assert_refused("events: Ir\nfn=f\ncfn=g\ncalls=1 2\nfn=g\n",
                   "file:5: 'calls=' must be followed by its cost");
    assert_refused("events: Ir\nfn=f\ncalls=1 2\n1 1\n", "file:3: a call of nothing");
    assert_refused("events: Ir\ncfn=g\ncalls=1 2\n1 1\n", "file:3: a call outside of a function");
    assert_refused("events: Ir\nfn=f\ncfn=g\ncalls=x 2\n1 1\n", "file:4: 'calls=' needs a number");
}

// Wherever it is truncated, a file that states its sum is complete or refused.
static void a_truncated_file_is_rejected(void **state)
{
    (void)state;
    static const char whole[] = "events: Ir\nsummary: 820\n\n" EXTENDED "totals: 820\n";
    size_t events = strlen("events: Ir\n");
    size_t body_whole = strlen("events: Ir\nsummary: 820\n\n" EXTENDED) - 1;
    for (size_t size = 0; size < sizeof whole - 2; size++) {
        AUTO(parts) struct parts parts = {0};
        write_bytes("file", whole, size);
        struct bilanx_error error = counts_read_callgrind("file", &parts.items, &parts.count);
        bool may_pass =
            size == events - 1 || size == events || size == body_whole || size == body_whole + 1;
        if (error.status == BILANX_OK && !may_pass)
            fail_msg("cut at %zu of %zu: accepted", size, sizeof whole - 1);
    }
}

static void a_number_has_at_most_64_bits_in_either_base(void **state)
{
    (void)state;
    assert_read("events: Ir\nfn=f\n1 4294967296\n",
                "= 4294967296\n4294967296 4294967296 -:f [-]\n");
    assert_read("events: Ir\nfn=f\n0x1F 0Xff\n", "= 255\n255 255 -:f [-]\n");
    assert_refused("events: Ir\nfn=f\n1 18446744073709551616\n", "at most 64 bits");
    assert_refused("events: Ir\nfn=f\n1 0x10000000000000000\n", "at most 64 bits");
    assert_refused("events: Ir\nfn=f\n1 0x\n", "at most 64 bits");
    assert_refused("events: Ir\nfn=f\n1 12g\n", "whole number");
    assert_refused("events: Ir\nfn=f\n1 0xfg\n", "whole number");
}

static void functions_without_any_cost_are_left_out(void **state)
{
    (void)state;
    // main only calls, idle does nothing, and f is the largest.
    assert_read(
        "events: Ir\nfn=idle\n1 0\nfn=main\ncfn=f\ncalls=1 1\n2 70\nfn=f\n3 70\nfn=g\n4 5\n",
        "= 75\n70 70 -:f [-]\n5 5 -:g [-]\n0 70 -:main [-]\n");
}

static void equal_functions_are_sorted_by_name_descending(void **state)
{
    (void)state;
    assert_read("events: Ir\nfl=a.c\nfn=f\n1 5\nfn=h\n1 5\nfl=b.c\nfn=f\n1 5\n",
                "= 15\n5 5 b.c:f [-]\n5 5 a.c:h [-]\n5 5 a.c:f [-]\n");
}

// The callee of a call that was read does not become that of the next.
static void each_call_names_its_callee(void **state)
{
    (void)state;
    assert_refused("events: Ir\nfn=main\ncfn=f\ncalls=1 1\n2 70\ncalls=1 1\n3 5\n",
                   "a call of nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_in_the_manual_is_read),
        cmocka_unit_test(names_may_be_defined_before_use_and_redefined),
        cmocka_unit_test(many_compressed_names_are_kept_apart),
        cmocka_unit_test(callees_share_the_numbers_of_their_kind),
        cmocka_unit_test(a_name_in_parentheses_is_not_a_number),
        cmocka_unit_test(nested_compressed_names_are_expanded),
        cmocka_unit_test(inlined_code_is_counted_under_its_own_file),
        cmocka_unit_test(positions_may_be_relative_or_hexadecimal),
        cmocka_unit_test(jumps_cost_nothing),
        cmocka_unit_test(missing_costs_are_zero_and_other_events_are_kept),
        cmocka_unit_test(each_part_stands_alone_except_for_names),
        cmocka_unit_test(a_call_that_began_in_an_earlier_part_still_counts),
        cmocka_unit_test(recursion_is_not_counted_twice),
        cmocka_unit_test(costs_must_add_up_to_the_stated_totals),
        cmocka_unit_test(numbers_and_events_beyond_the_limits_are_rejected),
        cmocka_unit_test(a_file_not_written_by_callgrind_is_rejected),
        cmocka_unit_test(an_incomplete_call_is_rejected),
        cmocka_unit_test(a_truncated_file_is_rejected),
        cmocka_unit_test(a_number_has_at_most_64_bits_in_either_base),
        cmocka_unit_test(functions_without_any_cost_are_left_out),
        cmocka_unit_test(equal_functions_are_sorted_by_name_descending),
        cmocka_unit_test(each_call_names_its_callee),
    };
    return cmocka_run_group_tests(tests, enter_test_folder, remove_test_folder);
}

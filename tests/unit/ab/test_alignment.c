// Cases of several sides: which are compared, and which sides can be combined.
#include "ab/comparison/alignment.h"

#include <stdlib.h>

#include "base/mem.h"
#include "told.h"
#include "unit.h"

enum { SIDES = 3, MOST = 4 };

// Sides A, B and C with cases of these names.
struct fixture {
    struct side opened[SIDES];
    struct run_case items[SIDES][MOST];
    struct ab_side sides[SIDES];
    struct text told;
};

static struct ab_sides sides_with(struct fixture *fixture, const char *const names[SIDES][MOST + 1])
{
    static char titles[SIDES][2] = {"A", "B", "C"};
    *fixture = (struct fixture){0};
    for (size_t i = 0; i < SIDES; i++) {
        fixture->opened[i].name = titles[i];
        fixture->sides[i].side = &fixture->opened[i];
        fixture->sides[i].cases.items = fixture->items[i];
        for (size_t at = 0; names[i][at]; at++)
            fixture->items[i][fixture->sides[i].cases.count++].name = (char *)names[i][at];
    }
    return (struct ab_sides){fixture->sides, SIDES, true};
}

static void assert_aligned(const char *const names[SIDES][MOST + 1], const char *const *kept,
                           const char *told)
{
    struct fixture fixture;
    struct ab_sides sides = sides_with(&fixture, names);
    ab_align(&sides, &(struct tell){told_keep, &fixture.told});
    for (size_t i = 0; i < SIDES; i++) {
        size_t count = 0;
        for (; kept[count]; count++) {
            assert_true(count < fixture.sides[i].cases.count);
            assert_string_equal(fixture.sides[i].cases.items[count].name, kept[count]);
        }
        assert_int_equal(fixture.sides[i].cases.count, count);
        free(fixture.sides[i].cases.items);
    }
    assert_string_equal(text_get(&fixture.told), told);
    text_done(&fixture.told);
}

static void cases_follow_the_order_of_the_first_side(void **state)
{
    (void)state;
    assert_aligned(
        (const char *const[SIDES][MOST + 1]){{"a", "b", "c"}, {"c", "b", "a"}, {"b", "a", "c"}},
        (const char *const[]){"a", "b", "c", NULL}, "");
}

static void a_case_missing_on_some_side_is_dropped_with_a_note(void **state)
{
    (void)state;
    assert_aligned(
        (const char *const[SIDES][MOST + 1]){{"a", "b", "c", "d"}, {"d", "b"}, {"a", "d", "b"}},
        (const char *const[]){"b", "d", NULL}, "'a' is not on side B\n'c' is not on side C\n");
}

static void a_case_missing_on_the_first_side_is_dropped(void **state)
{
    (void)state;
    assert_aligned((const char *const[SIDES][MOST + 1]){{"b"}, {"a", "b"}, {"b", "c"}},
                   (const char *const[]){"b", NULL}, "");
}

static void sides_may_have_nothing_in_common(void **state)
{
    (void)state;
    assert_aligned((const char *const[SIDES][MOST + 1]){{"a"}, {"b"}, {"a"}},
                   (const char *const[]){NULL}, "'a' is not on side B\n");
}

static void a_single_case_can_be_selected_on_all_sides(void **state)
{
    (void)state;
    struct fixture fixture;
    struct ab_sides sides = sides_with(
        &fixture, (const char *const[SIDES][MOST + 1]){{"a", "b"}, {"b", "a"}, {"a", "b"}});
    ab_align(&sides, NULL);
    assert_true(ab_keep_case(&sides, "b"));
    for (size_t i = 0; i < SIDES; i++) {
        assert_int_equal(sides.items[i].cases.count, 1);
        assert_string_equal(sides.items[i].cases.items[0].name, "b");
    }
    assert_false(ab_keep_case(&sides, "a"));
    for (size_t i = 0; i < SIDES; i++) {
        assert_int_equal(sides.items[i].cases.count, 0);
        free(sides.items[i].cases.items);
    }
}

static void without_alignment_each_side_keeps_its_cases(void **state)
{
    (void)state;
    struct fixture fixture;
    struct ab_sides sides =
        sides_with(&fixture, (const char *const[SIDES][MOST + 1]){{"a", "b"}, {"c"}, {0}});
    ab_keep_all(&sides);
    assert_int_equal(sides.items[0].cases.count, 2);
    assert_int_equal(sides.items[2].cases.count, 0);
    assert_string_equal(sides.items[0].cases.items[1].name, "b");
    for (size_t i = 0; i < SIDES; i++) {
        assert_ptr_not_equal(sides.items[i].cases.items, fixture.items[i]);
        free(sides.items[i].cases.items);
    }
}

static struct bilanx_error check(const struct side_kind *a, const struct side_kind *b,
                                 const struct side_kind *c)
{
    struct fixture fixture;
    struct ab_sides sides =
        sides_with(&fixture, (const char *const[SIDES][MOST + 1]){{0}, {0}, {0}});
    fixture.opened[0].kind = a;
    fixture.opened[1].kind = b;
    fixture.opened[2].kind = c;
    return ab_check_kinds(&sides);
}

static void a_command_is_only_compared_with_commands(void **state)
{
    (void)state;
    assert_ok(check(&side_command, &side_command, &side_command));
    assert_ok(check(&side_compiler, &side_revision, &side_records));
    assert_error(check(&side_command, &side_command, &side_program), BILANX_E_USAGE,
                 "sides A and C differ in kind");
    assert_error(check(&side_shell, &side_command, &side_shell), BILANX_E_USAGE,
                 "sides A and B differ in kind");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_follow_the_order_of_the_first_side),
        cmocka_unit_test(a_case_missing_on_some_side_is_dropped_with_a_note),
        cmocka_unit_test(a_case_missing_on_the_first_side_is_dropped),
        cmocka_unit_test(sides_may_have_nothing_in_common),
        cmocka_unit_test(a_single_case_can_be_selected_on_all_sides),
        cmocka_unit_test(without_alignment_each_side_keeps_its_cases),
        cmocka_unit_test(a_command_is_only_compared_with_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The search for a commit, without building or measuring.
#include "ab/comparison/bisect_range.h"

#include "unit.h"

static struct ab_code code(const char *text)
{
    struct ab_code code = {""};
    strcpy(code.text, text);
    return code;
}

static struct bisect_range range_of(size_t commits)
{
    struct bisect_range range;
    struct ab_code before = code("fast"), after = code("slow");
    bisect_range_init(&range, commits, &before, &after);
    return range;
}

// Searches commits; those from `first_slower` on are slower. An 'x' in `verdicts` means that a
// commit cannot be judged. Returns how many were judged.
static size_t search(struct bisect_range *range, size_t first_slower, const char *verdicts)
{
    size_t count = 0;
    for (size_t at; (at = bisect_choose(range)) < range->high; count++) {
        assert_true(at >= range->low);
        bool unjudged = strlen(verdicts) > at && verdicts[at] == 'x';
        struct ab_code none = code("");
        bisect_cut(range, at,
                   unjudged             ? VERDICT_UNDECIDED
                   : at >= first_slower ? VERDICT_SLOWER
                                        : VERDICT_SAME,
                   &none);
        assert_true(count < 100);
    }
    return count;
}

static void a_single_commit_needs_no_search(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(1);
    assert_int_equal(search(&range, 0, ""), 0);
    assert_int_equal(range.low, 0);
    assert_int_equal(range.high, 0);
}

static void the_first_slower_commit_is_found_by_bisection(void **state)
{
    (void)state;
    for (size_t commits = 1; commits <= 64; commits++)
        for (size_t first = 0; first < commits; first++) {
            AUTO(bisect_range) struct bisect_range range = range_of(commits);
            assert_true(search(&range, first, "") <= 6);
            assert_int_equal(range.low, first);
            assert_int_equal(range.high, first);
        }
}

static void commits_that_cannot_be_judged_are_skipped(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(9);
    search(&range, 6, "...xxx...");
    // 6 is slower, 2 is not; 3, 4 and 5 are unknown.
    assert_int_equal(range.low, 3);
    assert_int_equal(range.high, 6);
}

static void unjudged_commits_away_from_the_change_do_not_matter(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(9);
    search(&range, 2, "x...xx.x.");
    assert_int_equal(range.low, 2);
    assert_int_equal(range.high, 2);
}

static void if_no_commit_can_be_judged_the_range_stays_whole(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(5);
    assert_int_equal(search(&range, 0, "xxxxx"), 4);
    assert_int_equal(range.low, 0);
    assert_int_equal(range.high, 4);
}

static void the_commit_nearest_the_middle_is_next(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(10);
    struct ab_code none = code("");
    assert_int_equal(bisect_choose(&range), 4);
    bisect_cut(&range, 4, VERDICT_UNDECIDED, &none);
    assert_int_equal(bisect_choose(&range), 5);
    bisect_cut(&range, 5, VERDICT_UNDECIDED, &none);
    assert_int_equal(bisect_choose(&range), 3);
    bisect_cut(&range, 3, VERDICT_SLOWER, &none);
    assert_int_equal(bisect_choose(&range), 1);
}

static void assert_known(const struct bisect_range *range, const char *text, enum verdict expected)
{
    struct ab_code known = code(text);
    enum verdict verdict;
    assert_true(bisect_is_known(range, &known, &verdict));
    assert_int_equal(verdict, expected);
}

static void assert_unknown(const struct bisect_range *range, const char *text)
{
    struct ab_code other = code(text);
    enum verdict verdict;
    assert_false(bisect_is_known(range, &other, &verdict));
}

static void code_already_judged_is_known(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(10);
    struct ab_code odd = code("odd"), slower = code("slower"), faster = code("faster");
    assert_known(&range, "slow", VERDICT_SLOWER);
    assert_known(&range, "fast", VERDICT_SAME);
    assert_unknown(&range, "odd");
    bisect_cut(&range, 4, VERDICT_UNDECIDED, &odd);
    assert_known(&range, "odd", VERDICT_UNDECIDED);
    bisect_cut(&range, 7, VERDICT_SLOWER, &slower);
    assert_known(&range, "slower", VERDICT_SLOWER);
    bisect_cut(&range, 2, VERDICT_SAME, &faster);
    assert_known(&range, "faster", VERDICT_SAME);
}

static void unreadable_code_is_never_known(void **state)
{
    (void)state;
    AUTO(bisect_range) struct bisect_range range = range_of(10);
    struct ab_code none = code("");
    bisect_cut(&range, 4, VERDICT_UNDECIDED, &none);
    bisect_cut(&range, 7, VERDICT_SLOWER, &none);
    bisect_cut(&range, 2, VERDICT_SAME, &none);
    assert_unknown(&range, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_commit_needs_no_search),
        cmocka_unit_test(the_first_slower_commit_is_found_by_bisection),
        cmocka_unit_test(commits_that_cannot_be_judged_are_skipped),
        cmocka_unit_test(unjudged_commits_away_from_the_change_do_not_matter),
        cmocka_unit_test(if_no_commit_can_be_judged_the_range_stays_whole),
        cmocka_unit_test(the_commit_nearest_the_middle_is_next),
        cmocka_unit_test(code_already_judged_is_known),
        cmocka_unit_test(unreadable_code_is_never_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

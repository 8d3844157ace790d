#include "unit.h"

static void an_error_carries_its_status_and_its_text(void **state)
{
    (void)state;
    struct bilanx_error error = bilanx_error_make(BILANX_E_INPUT, "'%s': %d", "suite", 12);
    assert_int_equal(error.status, BILANX_E_INPUT);
    assert_string_equal(error.text, "'suite': 12");
    assert_int_equal(BILANX_SUCCESS.status, BILANX_OK);
    assert_string_equal(BILANX_SUCCESS.text, "");
}

static const size_t ROOM = sizeof((struct bilanx_error *)0)->text - 1;

// The remaining text of `before` letters followed by `rest`.
static struct bilanx_error cut(size_t before, const char *rest)
{
    char text[1024];
    memset(text, 'a', before);
    strcpy(text + before, rest);
    return bilanx_error_make(BILANX_E_FAILED, "%s", text);
}

static void a_text_that_just_fits_is_kept_whole(void **state)
{
    (void)state;
    assert_int_equal(strlen(cut(ROOM, "").text), ROOM);
    assert_string_equal(cut(ROOM - 2, "é").text + ROOM - 2, "é");
}

static void a_long_text_is_truncated(void **state)
{
    (void)state;
    assert_int_equal(strlen(cut(ROOM + 100, "").text), ROOM);
}

static void a_character_cut_in_half_is_dropped(void **state)
{
    (void)state;
    assert_int_equal(strlen(cut(ROOM - 1, "é").text), ROOM - 1);
    assert_int_equal(strlen(cut(ROOM - 1, "€").text), ROOM - 1);
    assert_int_equal(strlen(cut(ROOM - 2, "€").text), ROOM - 2);
    assert_int_equal(strlen(cut(ROOM - 3, "😀").text), ROOM - 3);
}

static void a_whole_character_before_the_cut_is_kept(void **state)
{
    (void)state;
    assert_string_equal(cut(ROOM - 2, "é and more").text + ROOM - 2, "é");
    assert_string_equal(cut(ROOM - 4, "😀 and more").text + ROOM - 4, "😀");
}

static void every_status_has_its_own_word(void **state)
{
    (void)state;
    for (enum bilanx_status a = BILANX_OK; a <= BILANX_E_INTERRUPTED; a++) {
        assert_non_null(bilanx_status_code(a));
        for (enum bilanx_status b = BILANX_OK; b < a; b++)
            assert_string_not_equal(bilanx_status_code(a), bilanx_status_code(b));
    }
    assert_string_equal(bilanx_status_code(BILANX_E_CRASHED), "crashed");
    assert_string_equal(bilanx_status_code(BILANX_E_TIMED_OUT), "timed-out");
    assert_string_equal(bilanx_status_code(BILANX_E_INTERRUPTED), "interrupted");
}

static struct bilanx_error try_in_turn(const enum bilanx_status *statuses, size_t count,
                                       size_t *tried)
{
    for (*tried = 0; *tried < count;) {
        enum bilanx_status status = statuses[(*tried)++];
        BILANX_TRY(bilanx_error_make(status, "number %zu", *tried));
    }
    return BILANX_SUCCESS;
}

static void try_returns_the_first_error(void **state)
{
    (void)state;
    const enum bilanx_status statuses[] = {BILANX_OK, BILANX_E_SYSTEM, BILANX_E_USAGE};
    size_t tried;
    assert_error(try_in_turn(statuses, 3, &tried), BILANX_E_SYSTEM, "number 2");
    assert_int_equal(tried, 2);
    assert_ok(try_in_turn(statuses, 1, &tried));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_its_status_and_its_text),
        cmocka_unit_test(a_text_that_just_fits_is_kept_whole),
        cmocka_unit_test(a_long_text_is_truncated),
        cmocka_unit_test(a_character_cut_in_half_is_dropped),
        cmocka_unit_test(a_whole_character_before_the_cut_is_kept),
        cmocka_unit_test(every_status_has_its_own_word),
        cmocka_unit_test(try_returns_the_first_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

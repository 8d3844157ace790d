#include "profile/sampling/interleave.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { ENTRY = 1 };  // this frame was entered through native code

// Native frames are letters, innermost first, and E is the interpreter; frames of the language are
// digits, and one with a dot is an entry.
static const char *mixed(const char *native, const char *language, bool whole)
{
    static char out[64];
    bool interpreter[16];
    uint64_t frames[16];
    char digits[16];
    struct interleave_item items[32];
    struct interleave_input input = {.interpreter = interpreter, .frames = frames, .whole = whole};
    for (; *native; native++)
        interpreter[input.native_count++] = *native == 'E';
    native -= input.native_count;
    for (; *language; language++) {
        if (*language == '.') {
            frames[input.frame_count - 1] |= ENTRY;
            continue;
        }
        digits[input.frame_count] = *language;
        frames[input.frame_count++] = 16;
    }
    size_t count = interleave(&input, items);
    for (size_t i = 0; i < count; i++)
        out[i] = items[i].native ? native[items[i].index] : digits[items[i].index];
    out[count] = '\0';
    return out;
}

static void a_run_of_frames_is_inside_the_call_that_runs_it(void **state)
{
    (void)state;
    assert_string_equal(mixed("abEcd", "123.", true), "ab123Ecd");
}

static void each_call_of_the_interpreter_has_its_own_run(void **state)
{
    (void)state;
    assert_string_equal(mixed("aEbEcEd", "12.3.45.", true), "a12Eb3Ec45Ed");
}

static void an_interpreter_that_was_just_entered_has_no_frames_yet(void **state)
{
    (void)state;
    assert_string_equal(mixed("EbEc", "1.", true), "Eb1Ec");
}

static void the_innermost_frames_of_a_cut_stack_are_certain(void **state)
{
    (void)state;
    assert_string_equal(mixed("aEbE", "1.2.3.4.", false), "a1Eb2E");
    assert_string_equal(mixed("aEbEcE", "1.2.", false), "a1Eb2EcE");
}

static void frames_that_have_no_call_of_their_own_stay_with_the_innermost(void **state)
{
    (void)state;
    assert_string_equal(mixed("aEb", "1.2.3.", true), "a123Eb");
}

static void without_frames_the_native_stack_is_unchanged(void **state)
{
    (void)state;
    assert_string_equal(mixed("aEbE", "", true), "aEbE");
    assert_string_equal(mixed("", "1.2.", true), "");
}

static void a_last_run_may_have_no_entry(void **state)
{
    (void)state;
    assert_string_equal(mixed("aEbE", "1.23", true), "a1Eb23E");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_frames_is_inside_the_call_that_runs_it),
        cmocka_unit_test(each_call_of_the_interpreter_has_its_own_run),
        cmocka_unit_test(an_interpreter_that_was_just_entered_has_no_frames_yet),
        cmocka_unit_test(the_innermost_frames_of_a_cut_stack_are_certain),
        cmocka_unit_test(frames_that_have_no_call_of_their_own_stay_with_the_innermost),
        cmocka_unit_test(without_frames_the_native_stack_is_unchanged),
        cmocka_unit_test(a_last_run_may_have_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

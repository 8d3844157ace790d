#include "base/mem.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "unit.h"

struct pair {
    int left, right;
};

static void new_memory_is_zeroed(void **state)
{
    (void)state;
    AUTO(memory) struct pair *one = mem_new(struct pair);
    assert_int_equal(one->left | one->right, 0);
    AUTO(memory) struct pair *many = mem_array(struct pair, 100);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(many[i].left | many[i].right, 0);
}

static void an_array_of_no_elements_is_not_null(void **state)
{
    (void)state;
    AUTO(memory) int *none = mem_array(int, 0);
    assert_non_null(none);
}

static void a_growing_array_keeps_its_elements(void **state)
{
    (void)state;
    AUTO(memory) size_t *items = NULL;
    size_t room = 0;
    for (size_t count = 0; count < 1000; count++) {
        mem_grow(items, count, &room);
        assert_true(room > count);
        items[count] = count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
}

static void a_copied_text_is_independent(void **state)
{
    (void)state;
    char text[] = "copied";
    AUTO(memory) char *copy = mem_text(text);
    AUTO(memory) char *part = mem_text_n(text, 4);
    AUTO(memory) char *made = mem_format("%s-%d", text, 7);
    text[0] = 'X';
    assert_string_equal(copy, "copied");
    assert_string_equal(part, "copi");
    assert_string_equal(made, "copied-7");
    assert_null(mem_text(NULL));
}

static void take_hands_over_the_pointer_and_clears_it(void **state)
{
    (void)state;
    AUTO(memory) char *mine = mem_text("handed over");
    char *given = mine;
    AUTO(memory) char *yours = TAKE(mine);
    assert_null(mine);
    assert_ptr_equal(yours, given);
}

// How a process ends that requests too much memory: its status, or -1 and the signal.
static int fate_of_wanting_too_much(int status_if_out, int *signal)
{
    pid_t pid = fork();
    if (pid == 0) {
        close(STDERR_FILENO);
        mem_exit_if_out(status_if_out);
        size_t room = SIZE_MAX / 128 + 1;  // doubled and times 64, it wraps around to 0
        mem_grown(NULL, room, &room, 64);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void asking_for_too_much_memory_aborts(void **state)
{
    (void)state;
    int signal;
    assert_int_equal(fate_of_wanting_too_much(0, &signal), -1);
    assert_int_equal(signal, SIGABRT);
}

static void a_program_can_choose_to_exit_instead(void **state)
{
    (void)state;
    int signal;
    assert_int_equal(fate_of_wanting_too_much(3, &signal), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_memory_is_zeroed),
        cmocka_unit_test(an_array_of_no_elements_is_not_null),
        cmocka_unit_test(a_growing_array_keeps_its_elements),
        cmocka_unit_test(a_copied_text_is_independent),
        cmocka_unit_test(take_hands_over_the_pointer_and_clears_it),
        cmocka_unit_test(asking_for_too_much_memory_aborts),
        cmocka_unit_test(a_program_can_choose_to_exit_instead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

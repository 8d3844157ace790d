#include "sources/statement_worker/strand.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

enum { STACK_BYTES = 8 << 20 };

struct scene {
    struct strand main, first, second;
    char order[32];
    size_t size;
};
static struct scene scene;

static void note(char letter)
{
    scene.order[scene.size++] = letter;
    scene.order[scene.size] = '\0';
}

static void two_steps(void *argument)
{
    const char *letters = argument;
    struct strand *own = letters[0] == 'a' ? &scene.first : &scene.second;
    note(letters[0]);
    strand_switch(own, &scene.main);
    note(letters[1]);
}

static void strands_continue_where_they_left_off(void **state)
{
    (void)state;
    scene = (struct scene){0};
    char a[] = "aA", b[] = "bB";
    assert_ok(strand_init(&scene.main, NULL, NULL, NULL));
    assert_ok(strand_init(&scene.first, two_steps, a, &scene.main));
    assert_ok(strand_init(&scene.second, two_steps, b, &scene.main));
    assert_null(scene.main.stack);
    strand_switch(&scene.main, &scene.first);
    assert_string_equal(scene.order, "a");
    strand_switch(&scene.main, &scene.second);
    assert_string_equal(scene.order, "ab");
    assert_false(scene.first.ended || scene.second.ended);
    strand_switch(&scene.main, &scene.second);
    assert_string_equal(scene.order, "abB");
    assert_true(scene.second.ended && !scene.first.ended);
    strand_switch(&scene.main, &scene.first);
    assert_string_equal(scene.order, "abBA");
    assert_true(scene.first.ended);
    strand_done(&scene.first);
    strand_done(&scene.second);
    strand_done(&scene.first);  // twice does nothing
    assert_null(scene.first.stack);
    strand_done(&scene.main);
}

static void only_step(void *argument)
{
    note(*(const char *)argument);
    if (*(const char *)argument == 'x')
        strand_switch(&scene.first, &scene.second);
}

static void when_a_strand_ends_the_one_after_it_continues(void **state)
{
    (void)state;
    scene = (struct scene){0};
    char x[] = "x", y[] = "y";
    assert_ok(strand_init(&scene.main, NULL, NULL, NULL));
    assert_ok(strand_init(&scene.first, only_step, x, &scene.main));
    assert_ok(strand_init(&scene.second, only_step, y, &scene.first));
    strand_switch(&scene.main, &scene.first);
    assert_string_equal(scene.order, "xy");
    assert_true(scene.first.ended && scene.second.ended);
    strand_done(&scene.first);
    strand_done(&scene.second);
}

static uintptr_t inside;

// The address of this frame. A sanitizer may move local variables elsewhere.
static void look_around(void *argument)
{
    (void)argument;
    inside = (uintptr_t)__builtin_frame_address(0);
}

static void a_strand_runs_on_its_own_stack_with_a_guard_below(void **state)
{
    (void)state;
    scene = (struct scene){0};
    assert_ok(strand_init(&scene.main, NULL, NULL, NULL));
    assert_ok(strand_init(&scene.first, look_around, NULL, &scene.main));
    uintptr_t low = (uintptr_t)scene.first.stack;
    strand_switch(&scene.main, &scene.first);
    assert_true(inside > low && inside < low + STACK_BYTES);
    assert_true(inside > low + STACK_BYTES - 4096);  // it starts at the top
    FILE *maps = fopen("/proc/self/maps", "r");
    bool guarded = false;
    char line[512];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, access) == 3 && start <= low && low < end)
            guarded = strncmp(access, "---", 3) == 0 && end >= low + 65536;
    }
    assert_non_null(maps);
    fclose(maps);
    assert_true(guarded);
    strand_done(&scene.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_continue_where_they_left_off),
        cmocka_unit_test(when_a_strand_ends_the_one_after_it_continues),
        cmocka_unit_test(a_strand_runs_on_its_own_stack_with_a_guard_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

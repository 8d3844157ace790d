#include "base/surroundings.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/mem.h"
#include "unit.h"

static char *child_says(const char *script)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    struct text output = {0};
    int status;
    assert_ok(capture_run(argv, NULL, 10, &output, &status));
    return text_take(&output);
}

static void a_child_starts_in_them(void **state)
{
    (void)state;
    AUTO(list) struct list variables = {0};
    list_add(&variables, "PATH=/usr/bin:/bin");
    list_add(&variables, "SIDE=A");
    setenv("OURS", "1", 1);
    AUTO(surroundings) struct surroundings side = {0};
    assert_ok(surroundings_init(&side, &variables, "/usr"));
    assert_ok(surroundings_enter(&side));
    setenv("ADDED", "yes", 1);
    AUTO(memory) char *inside = child_says("echo $SIDE:$OURS:$ADDED:$(pwd)");
    surroundings_leave(&side);
    assert_string_equal(inside, "A::yes:/usr\n");
    AUTO(memory) char *outside =
        child_says("echo $SIDE:$OURS:$ADDED:$(test $(pwd) = /usr || echo elsewhere)");
    assert_string_equal(outside, ":1::elsewhere\n");
    assert_ok(surroundings_enter(&side));
    assert_string_equal(getenv("ADDED"), "yes");
    surroundings_leave(&side);
    assert_null(getenv("ADDED"));
}

static void a_missing_directory_is_an_error(void **state)
{
    (void)state;
    AUTO(list) struct list none = {0};
    struct surroundings side = {0};
    assert_error(surroundings_init(&side, &none, "/nowhere/at/all"), BILANX_E_SYSTEM,
                 "/nowhere/at/all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_starts_in_them),
        cmocka_unit_test(a_missing_directory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

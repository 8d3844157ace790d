#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "sources/source/source.h"
#include "unit.h"

static void a_command_is_looked_up_in_the_surroundings(void **state)
{
    (void)state;
    AUTO(temporary) struct temporary folder = {0};
    AUTO(list) struct list variables = {0};
    AUTO(surroundings) struct surroundings side = {0};
    assert_ok(temporary_init(&folder, NULL));
    AUTO(memory) char *path = mem_format("%s/greet-me", folder.path);
    assert_ok(file_write(path, "#!/bin/sh\n", 10));
    assert_int_equal(chmod(path, 0700), 0);
    list_take(&variables, mem_format("PATH=%s", folder.path));
    assert_ok(surroundings_init(&side, &variables, folder.path));
    const char *const names[] = {"greet-me", "./greet-me"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        AUTO(source) struct source there = {0}, here = {0};
        struct source_request request = {.words = &names[i], .word_count = 1};
        assert_error(source_open(&command_source, &request, &here), BILANX_E_SYSTEM,
                     "greet-me' not found");
        request.surroundings = &side;
        assert_ok(source_open(&command_source, &request, &there));
        assert_ptr_equal(there.cases.items[0].subject->launch.surroundings, &side);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_looked_up_in_the_surroundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// own_folder: an empty folder for each test, which is its working directory, and files in it.
#ifndef UNIT_OWN_FOLDER_H
#define UNIT_OWN_FOLDER_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static char own_folder[] = "/tmp/bilanx-unit-XXXXXX";

// Setup and teardown of a test.
static inline int own_folder_enter(void **state)
{
    (void)state;
    strcpy(own_folder + strlen(own_folder) - 6, "XXXXXX");
    return mkdtemp(own_folder) && chdir(own_folder) == 0 ? 0 : -1;
}

static inline int own_folder_leave(void **state)
{
    (void)state;
    return chdir("/") == 0 && file_remove_tree(own_folder) ? 0 : -1;
}

#define IN_OWN_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, own_folder_enter, own_folder_leave)

static inline void file_make(const char *path, const char *content)
{
    assert_ok(file_write(path, content, strlen(content)));
}

static inline void program_make(const char *path, const char *script)
{
    file_make(path, script);
    assert_int_equal(chmod(path, 0755), 0);
}

static inline void assert_file(const char *path, const char *content)
{
    AUTO(text) struct text text = {0};
    assert_ok(file_read(path, &text));
    assert_string_equal(text_get(&text), content);
}

static inline bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

#endif

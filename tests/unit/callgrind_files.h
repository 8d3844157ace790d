// callgrind_files: a folder for the test, and files in it.
#ifndef UNIT_CALLGRIND_FILES_H
#define UNIT_CALLGRIND_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scope.h"
#include "unit.h"

static char test_folder[] = "/tmp/bilanx-counts-XXXXXX";

static inline int enter_test_folder(void **state)
{
    (void)state;
    return mkdtemp(test_folder) && chdir(test_folder) == 0 ? 0 : -1;
}

static inline int remove_test_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", test_folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline void write_bytes(const char *path, const char *bytes, size_t size)
{
    AUTO(file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
}

static inline void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

#endif

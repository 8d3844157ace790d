// file: whole small files, and where things are.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/text.h"
#include "bilanx/error.h"

// Appends the whole of a file to `out`. Works for /proc and /sys, whose files have no size.
struct bilanx_error file_read(const char *path, struct text *out);

// The rest of an open file; `path` is for messages.
struct bilanx_error file_read_fd(int fd, const char *path, struct text *out);

// The first line of a file without its newline, for the one-line files of /proc and /sys. Returns
// false, and an empty text, when it cannot be read.
bool file_first_line(const char *path, char *out, size_t size);

// Looks a program up in PATH; a name with a slash is taken as it is. The caller frees the result,
// which is NULL when there is none that can be executed.
char *file_find_program(const char *name);

#endif

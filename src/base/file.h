// file: whole files, and where things are.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/text.h"
#include "bilanx/error.h"

#define FILE_LARGEST ((size_t)1 << 30)  // bytes; nothing that is read whole is larger

// Whether there is a regular file, or /dev/null, which reads as an empty one. A FIFO would have its
// reader wait for ever, and a device may have no end: the error says which it is.
struct bilanx_error file_check(const char *path);

// Opens such a file to be read; *status, which may be NULL, is its fstat().
struct bilanx_error file_open_to_read(const char *path, int *fd, struct stat *status);

// Whether a path names a descriptor of this process, as a shell's <(COMMAND) does: whoever made
// that one writes to it.
bool file_names_descriptor(const char *path);

// Appends the whole of a file to `out`. Works for /proc and /sys, whose files have no size.
struct bilanx_error file_read(const char *path, struct text *out);

// The rest of an open file or pipe; `path` is for messages.
struct bilanx_error file_read_fd(int fd, const char *path, struct text *out);

// Writes a new file that only its owner can read. One that is there is replaced; a link is not
// followed.
struct bilanx_error file_write(const char *path, const void *bytes, size_t size);

// The first line of a file without its newline, for the one-line files of /proc and /sys. Returns
// false, and an empty text, when it cannot be read.
bool file_first_line(const char *path, char *out, size_t size);

// Looks a program up in PATH; a name with a slash is taken as it is. The caller frees the result,
// which is NULL when there is none that can be executed.
char *file_find_program(const char *name);

// The same with another PATH, which may be NULL, for a process in another directory (a descriptor).
char *file_find_program_at(int directory, const char *path, const char *name);

// Removes a folder with all that is in it. Returns false, and errno, when something is left.
bool file_remove_tree(const char *path);

// Whether hardly anything more can be written in this folder.
bool file_disk_is_full(const char *folder);

#endif

// file: reads, writes and finds files.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/text.h"
#include "bilanx/error.h"

#define FILE_LARGEST ((size_t)1 << 30)  // bytes; larger files are not read whole

// Checks that `path` is a regular file or /dev/null, which reads as empty. Reading a FIFO could
// block forever, and a device may have no end. The error says which it is.
struct bilanx_error file_check(const char *path);

// Opens such a file for reading. *status, unless NULL, is set by fstat().
struct bilanx_error file_open_to_read(const char *path, int *fd, struct stat *status);

// Returns whether a path names a descriptor of this process, as a shell's <(COMMAND) does. Such a
// pipe has a writer.
bool file_names_descriptor(const char *path);

// Appends a whole file to `out`. Works for files in /proc and /sys, which report no size.
struct bilanx_error file_read(const char *path, struct text *out);

// Reads the rest of an open file or pipe; `path` is for messages.
struct bilanx_error file_read_fd(int fd, const char *path, struct text *out);

// Writes a new file that only its owner can read. Replaces an existing file; refuses a link.
struct bilanx_error file_write(const char *path, const void *bytes, size_t size);

// Reads the first line of a file without its newline, for the one-line files of /proc and /sys.
// Returns false and an empty string if it cannot be read.
bool file_first_line(const char *path, char *out, size_t size);

// Returns the folder of the running program. The caller frees it; NULL: /proc is not mounted.
char *file_own_folder(void);

// Looks up a program on PATH; a name with a slash is returned unchanged. The caller frees the
// result, which is NULL if there is no such executable.
char *file_find_program(const char *name);

// Like file_find_program(), but with another PATH, which may be NULL, for a process in another
// directory (a descriptor).
char *file_find_program_at(int directory, const char *path, const char *name);

// Returns whether an existing file is somewhere below a directory, however either is named.
bool file_is_below(const char *path, const char *folder);

// Removes a directory and everything in it. Returns false and sets errno if something is left.
bool file_remove_tree(const char *path);

// Returns whether the disk that holds this directory is almost full.
bool file_disk_is_full(const char *folder);

#endif

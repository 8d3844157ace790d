// mapped_files: whether the files of two sides can be loaded into one process, and whether they
// are at the same addresses in two.
//
// The loader distinguishes libraries by name only. With two revisions of libfoo.so.1 in one
// process, both sides would use the same one.
#ifndef AB_VERDICT_MAPPED_FILES_H
#define AB_VERDICT_MAPPED_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/hash.h"
#include "base/list.h"

// Lists the files mapped by a process: "INODE PATH", each once. `places` is equal for processes
// that have the same files at the same addresses.
void mapped_files_read(pid_t process, struct list *out, struct hash *places);

// The name of a library that is a different file on each side; NULL: none.
const char *mapped_files_clash(const struct list *a, const struct list *b);

// The paths of files that only one side has, one per line; NULL: none. The caller frees the text.
char *mapped_files_unshared(const struct list *a, const struct list *b);

#endif

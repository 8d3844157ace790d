// mapped_files: whether what two sides load can be in one process.
//
// A loader knows one library of a name. Two revisions of libfoo.so.1 in one process would be one of
// them, for both sides.
#ifndef AB_VERDICT_MAPPED_FILES_H
#define AB_VERDICT_MAPPED_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/list.h"

// The files that a process has mapped: "INODE PATH", each once.
void mapped_files_read(pid_t process, struct list *out);

// The name of a library that both have, and that is another file in each; NULL: there is none.
const char *mapped_files_clash(const struct list *a, const struct list *b);

// The paths of files that only one of them has, a line each; NULL: there is none. The caller frees
// the text.
char *mapped_files_unshared(const struct list *a, const struct list *b);

#endif

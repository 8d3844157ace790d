// compile_commands: a project's own flags for a file, from its compilation database.
#ifndef STATEMENTS_COMPILE_COMMANDS_H
#define STATEMENTS_COMPILE_COMMANDS_H

#include "base/list.h"

// Adds the flags that `source` is compiled with, without what names inputs and outputs, and says in
// which directory. The caller frees the directory.
struct bilanx_error compile_commands_read(const char *path, const char *source, struct list *flags,
                                          char **directory);

#endif

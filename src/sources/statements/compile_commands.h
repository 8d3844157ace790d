// compile_commands: a project's own flags for a file, from its compilation database.
#ifndef STATEMENTS_COMPILE_COMMANDS_H
#define STATEMENTS_COMPILE_COMMANDS_H

#include "base/list.h"
#include "base/surroundings.h"

// Adds the flags that `source` is compiled with, without what names inputs and outputs, and says in
// which directory. Paths may be relative to the surroundings; NULL: to ours. The caller frees the
// directory.
struct bilanx_error compile_commands_read(const char *path, const char *source,
                                          const struct surroundings *surroundings,
                                          struct list *flags, char **directory);

#endif

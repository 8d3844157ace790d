// compile_commands: a project's flags for a file, from its compilation database.
#ifndef STATEMENTS_COMPILE_COMMANDS_H
#define STATEMENTS_COMPILE_COMMANDS_H

#include "base/list.h"
#include "base/surroundings.h"

// Adds the flags that `source` is compiled with, except inputs and outputs, and returns the
// directory, which the caller frees. Paths may be relative to the surroundings; NULL: to this
// process.
struct bilanx_error compile_commands_read(const char *path, const char *source,
                                          const struct surroundings *surroundings,
                                          struct list *flags, char **directory);

#endif

// rules: which files a compiler or linker read, from the Make rule it wrote.
#ifndef LANG_RULES_H
#define LANG_RULES_H

#include "base/list.h"

// Adds the files of the rule at `path`. Relative paths are resolved against `directory` (NULL: the
// current one). Files in the folder `workplace` are omitted, because it is temporary.
void rules_read(const char *path, const char *workplace, const char *directory,
                struct list *inputs);

#endif

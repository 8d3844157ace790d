// rules: which files a compiler or linker has read, by the Make rule that it wrote.
#ifndef LANG_RULES_H
#define LANG_RULES_H

#include "base/list.h"

// Adds the files of the rule at `path`. Relative ones are taken from `directory` (NULL: here); what
// is in the folder `workplace` is left out, as it is gone when it matters.
void rules_read(const char *path, const char *workplace, const char *directory,
                struct list *inputs);

#endif

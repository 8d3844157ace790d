// entry_names: names of files for names of cases, which may contain anything.
//
// They consist of characters that are safe on every file system and in a link: letters, digits, and
// '-', '_', '.', '=', '+' within. None is "." or "..", contains "..", or differs from another in
// case only.
#ifndef BUNDLE_ENTRY_NAMES_H
#define BUNDLE_ENTRY_NAMES_H

#include "base/index.h"

enum { ENTRY_NAME_LONGEST = 80 };  // bytes, without the number that makes it unique

struct entry_names {
    struct index taken;  // hashes in lower case
};
void entry_names_done(struct entry_names *names);

// Returns a readable name of a file. The caller frees it.
char *entry_name(const char *name);

// Returns such a name, with a number added if an earlier one equals it. The caller frees it.
char *entry_names_add(struct entry_names *names, const char *name);

#endif

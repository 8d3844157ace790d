// provenance: the state of the repository that a record belongs to, which is that of the current
// directory.
#ifndef RECORD_PROVENANCE_H
#define RECORD_PROVENANCE_H

#include "base/surroundings.h"

// Returns the repository of the folder as a JSON object, described in docs/formats/record.md. Runs
// git, without hooks and monitors. `folder` NULL: that of the surroundings; `surroundings` NULL:
// those of this process. The caller frees it; NULL: not a repository with a commit, or no git.
char *provenance_of(const char *folder, const struct surroundings *surroundings);

// Returns the text at `key` of such an object, such as "commit". The caller frees it; NULL: absent.
char *provenance_text(const char *git, const char *key);

#endif

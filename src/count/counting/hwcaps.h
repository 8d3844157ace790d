// hwcaps: controls which variants of its functions glibc chooses in a counted process.
//
// glibc has memcpy, strcmp, sin and many others in several variants, and each process chooses among
// them by its processor. So the same code takes a few per cent more or fewer instructions on
// another machine, and it runs other variants under valgrind, which emulates a processor without
// AVX-512. The environment variable GLIBC_TUNABLES makes the choice the same everywhere.
#ifndef COLLECT_HWCAPS_H
#define COLLECT_HWCAPS_H

#include "base/list.h"
#include "base/surroundings.h"
#include "bilanx/error.h"

enum hwcaps {
    HWCAPS_V2,      // variants that every processor since 2009 can run: SSE4.2
    HWCAPS_V3,      // with AVX2
    HWCAPS_NATIVE,  // glibc's own choice, and the user's GLIBC_TUNABLES
};

// Reads the value of an option; NULL is the default.
struct bilanx_error hwcaps_read(const char *word, enum hwcaps *out);

// The value of GLIBC_TUNABLES that pins the choice, but keeps the tunables in `given` that have
// nothing to do with it; NULL: none. The caller frees it.
char *hwcaps_tunables(enum hwcaps hwcaps, const char *given);

// The text for records: "x86-64-v2", and the user's tunables for processors that are in force. The
// caller frees it.
char *hwcaps_recorded(enum hwcaps hwcaps, const char *given);

// Sets GLIBC_TUNABLES in the additional variables of a process. The user's are taken from there, or
// else from its surroundings. `recorded` gets the text for records, which the caller frees.
struct bilanx_error hwcaps_pin(enum hwcaps hwcaps, const struct surroundings *surroundings,
                               struct list *environment, char **recorded);

#endif

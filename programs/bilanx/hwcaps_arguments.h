// hwcaps_arguments: the option --hwcaps of commands that count.
#ifndef PROGRAMS_HWCAPS_ARGUMENTS_H
#define PROGRAMS_HWCAPS_ARGUMENTS_H

#include "base/options.h"
#include "count/counting/hwcaps.h"

struct hwcaps_arguments {
    const char *word;    // NULL: not given
    enum hwcaps hwcaps;  // what it means
};
extern const struct option hwcaps_options[];  // for a struct hwcaps_arguments

// Call after parsing. `counted` says whether callgrind counts anything; if not, the option is a
// mistake, and `needs` names what it needs.
struct bilanx_error hwcaps_arguments_complete(struct hwcaps_arguments *arguments, bool counted,
                                              const char *needs);

#endif

// hwcaps_arguments: the option --hwcaps of commands that count.
#ifndef PROGRAMS_HWCAPS_ARGUMENTS_H
#define PROGRAMS_HWCAPS_ARGUMENTS_H

#include "base/options.h"
#include "count/counting/hwcaps.h"

struct hwcaps_arguments {
    const char *word;    // NULL: not given
    enum hwcaps hwcaps;  // its meaning
};
extern const struct option hwcaps_options[];  // for a struct hwcaps_arguments

// Call after parsing.
struct bilanx_error hwcaps_arguments_complete(struct hwcaps_arguments *arguments);

#endif

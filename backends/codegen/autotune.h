// autotune: which variant of a kernel is the fastest, measured here, and remembered.
#ifndef BACKENDS_CODEGEN_AUTOTUNE_H
#define BACKENDS_CODEGEN_AUTOTUNE_H

#include "translation.h"

// Settings to try, besides the usual ones; NULL ends them.
extern const char *const autotune_variants[];

struct contest {
    void *context;
    void (*use)(void *context, int candidate);  // before it is run
    const char *(*run)(void *context);          // NULL, or what went wrong
    int count;
};

// Returns the fastest candidate, or 0, the usual one, unless another is faster beyond doubt. They
// take turns; what looks fastest is then measured against the usual one again, in fresh turns.
int autotune_measure(const struct contest *contest);

// What was found out before about a source, on this machine: settings, which the caller frees;
// NULL: nothing yet.
char *autotune_recall(const struct translator *translator, const struct text *source);
void autotune_remember(const struct translator *translator, const struct text *source,
                       const char *settings);

// Whether stores that bypass the caches are clearly faster on this machine, for results that are
// larger than a core's own caches. Measured once, and remembered.
bool autotune_streaming(const struct translator *translator);

#endif

// autotune: finds the fastest variant of a kernel on this machine by measuring, and remembers it.
#ifndef BACKENDS_CODEGEN_AUTOTUNE_H
#define BACKENDS_CODEGEN_AUTOTUNE_H

#include "translation.h"

// Settings to try, besides the usual ones; NULL ends them.
extern const char *const autotune_variants[];

struct contest {
    void *context;
    void (*use)(void *context, int candidate);  // before it is run
    const char *(*run)(void *context);          // NULL, or an error text
    int count;
};

// Returns the fastest candidate, or 0, the usual one, unless another is clearly faster. Candidates
// take turns; the apparent winner is then measured against the usual one again, in fresh turns.
int autotune_measure(const struct contest *contest);

// Returns the settings found earlier for a source on this machine, which the caller frees; NULL:
// none yet.
char *autotune_recall(const struct translator *translator, const struct text *source);
void autotune_remember(const struct translator *translator, const struct text *source,
                       const char *settings);

// Whether stores that bypass the caches are clearly faster on this machine, for results that are
// larger than a core's own caches. Measured once, and remembered.
bool autotune_streaming(const struct translator *translator);

#endif

// substitute: $name and ${name} in texts; $$ is a dollar.
#ifndef SUITE_SUBSTITUTE_H
#define SUITE_SUBSTITUTE_H

#include <stdbool.h>

#include "base/text.h"
#include "bilanx/suite.h"

struct binding {  // one value of each name
    const char *name, *value;
    bool used;
};

struct bindings {
    struct binding *items;
    size_t count;
};

// Appends `text` with every name replaced, and marks those that were used. On an error, which has
// no place, `*fault` is where in the text the dollar is.
struct bilanx_error suite_substitute(const char *text, const struct bindings *bindings,
                                     struct text *out, size_t *fault);

// Whether the text mentions the name.
bool suite_mentions(const char *text, const char *name);

#endif

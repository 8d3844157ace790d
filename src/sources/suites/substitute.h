// substitute: replaces $name and ${name} in texts; $$ is a dollar sign.
#ifndef SUITE_SUBSTITUTE_H
#define SUITE_SUBSTITUTE_H

#include <stdbool.h>

#include "base/text.h"
#include "bilanx/suite.h"

struct binding {  // a name and its value
    const char *name, *value;
    bool used;
};

struct bindings {
    struct binding *items;
    size_t count;
};

// Appends `text` with every name replaced, and marks names as used. On an error, `*fault` is the
// offset of the dollar; the error does not include a location.
struct bilanx_error suite_substitute(const char *text, const struct bindings *bindings,
                                     struct text *out, size_t *fault);

// Whether the text mentions the name.
bool suite_mentions(const char *text, const char *name);

#endif

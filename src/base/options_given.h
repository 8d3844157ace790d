// options_given: which options a command line has, in their order.
#ifndef BASE_OPTIONS_GIVEN_H
#define BASE_OPTIONS_GIVEN_H

#include "base/options.h"
#include "base/scope.h"

struct option_given {
    const struct option *option;
    const char *value;  // the first word of its value; NULL: it has none
};

struct options_given {
    struct option_given *items;
    size_t count, room;
};
void options_given_done(struct options_given *given);
SCOPE_VALUE(options_given, options_given_done)

// Adds the options of a command line that options_parse() accepted, hidden ones included.
void options_given_find(const struct option *options, int argc, char **argv,
                        struct options_given *out);

// The option of this name; NULL: none.
const struct option *options_find(const struct option *options, const char *name);

#endif

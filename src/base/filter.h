// filter: an extended regular expression that chooses cases by their names.
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct filter {  // zero keeps everything
    regex_t regex;
    bool chooses;
};
void filter_done(struct filter *filter);
SCOPE_VALUE(filter, filter_done)

// `text` NULL keeps everything.
struct bilanx_error filter_open(const char *text, struct filter *out);

bool filter_keeps(const struct filter *filter, const char *name);

#endif

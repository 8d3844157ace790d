// labels: how cases are called: so that a table has a row for what and a column for how.
#ifndef SUITE_LABELS_H
#define SUITE_LABELS_H

#include "languages.h"
#include "substitute.h"

struct labelling {
    const char *path;                        // all labels, joined
    const struct bilanx_suite_entry *entry;  // as it was written
    const char *description, *env;           // as they came out; may be NULL
    const struct bindings *bindings;
    const struct suite_language *language;  // NULL: of no matter
    const char *usual_language;             // that needs no mention
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    uint64_t threads;
};

// The caller frees what these give; NULL when there is nothing to say.
char *labels_name(const struct labelling *labelling);
char *labels_description(const struct labelling *labelling);
char *labels_parameters(const struct bindings *bindings);  // a JSON object

#endif

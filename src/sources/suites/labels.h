// labels: names cases so that a table has a row for each task and a column for each way to do it.
#ifndef SUITE_LABELS_H
#define SUITE_LABELS_H

#include "languages.h"
#include "substitute.h"

struct labelling {
    const char *path;                        // all labels, joined
    const struct bilanx_suite_entry *entry;  // as written
    const char *description, *env;           // after substitution; may be NULL
    const char *inputs;                      // describes them; may be NULL
    const struct bindings *bindings;
    const struct suite_language *language;  // NULL: irrelevant
    const char *usual_language;             // omitted from names
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    uint64_t threads;
};

// The caller frees the results; NULL: nothing to say.
char *labels_name(const struct labelling *labelling);
char *labels_description(const struct labelling *labelling);
// A JSON object; `inputs` is another, whose members are added. May be NULL.
char *labels_parameters(const struct bindings *bindings, const char *inputs);

#endif

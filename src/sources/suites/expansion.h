// expansion: an entry on its way to cases.
#ifndef SUITE_EXPANSION_H
#define SUITE_EXPANSION_H

#include "derive.h"
#include "expand.h"
#include "substitute.h"

// One set of values of an entry, on its way to cases.
struct expansion {
    struct bilanx_suite *suite;
    const struct origin *origin;
    const struct bilanx_suite_entry *written;  // as it was added: for places
    const struct bilanx_suite_entry *entry;    // with its values
    const struct bindings *bindings;
    const struct signature *signature;
    // For variants, what stands in for the entry's own:
    const struct bilanx_suite_code *stmt, *setup, *global_setup;
    const char *path, *label, *sub_label;
};

// What tells one case of an expansion from the next.
struct choice {
    const struct suite_language *language;
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    const struct bilanx_suite_compile *compile;  // NULL: the usual
    uint64_t threads;
};

// Adds one case; takes what is in `derived`.
struct bilanx_error expansion_add_case(struct expansion *expansion, const struct choice *choice,
                                       struct derived *derived);

#endif

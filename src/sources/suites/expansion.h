// expansion: an entry being expanded into cases.
#ifndef SUITE_EXPANSION_H
#define SUITE_EXPANSION_H

#include "derive.h"
#include "expand.h"
#include "inputs/samples/samples.h"
#include "substitute.h"

// One set of values of an entry, being expanded.
struct expansion {
    struct bilanx_suite *suite;
    const struct origin *origin;
    const struct bilanx_suite_entry *written;  // as added: for locations
    const struct bilanx_suite_entry *entry;    // with values substituted
    const struct bindings *bindings;
    const struct signature *signature;
    const struct samples *samples;      // its inputs; NULL: none
    const struct samples_item *sample;  // the current one
    // Variants replace the entry's values with these:
    const struct bilanx_suite_code *stmt, *setup, *global_setup;
    const char *path, *label, *sub_label;
};

// What distinguishes the cases of an expansion.
struct choice {
    const struct suite_language *language;
    enum bilanx_suite_mode mode;
    enum bilanx_suite_autograd autograd;
    const struct bilanx_suite_compile *compile;  // NULL: default
    uint64_t threads;
};

// Adds one case; takes ownership of the contents of `derived`.
struct bilanx_error expansion_add_case(struct expansion *expansion, const struct choice *choice,
                                       struct derived *derived);

#endif

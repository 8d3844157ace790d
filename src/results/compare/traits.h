// traits: everything that can distinguish two tasks in one cell, by name.
#ifndef COMPARE_TRAITS_H
#define COMPARE_TRAITS_H

#include "results/compare/collate.h"

struct traits {
    struct trait {
        const char *prefix;  // shown before its value: "setup: "
        char *name, *value;
    } *items;
    size_t count, room;
};
void traits_done(struct traits *traits);
SCOPE_VALUE(traits, traits_done)

void traits_of(const struct bilanx_record *record, struct traits *out);

const char *traits_value(const struct traits *traits, const char *name);  // NULL: none

// Adds to `names` each name in which `a` and `b` differ, once.
void traits_differences(const struct traits *a, const struct traits *b, struct list *names);

// Appends the values of the named traits, for a heading: "-O3, n=4".
void traits_describe(const struct traits *traits, const struct list *names, struct text *out);

#endif

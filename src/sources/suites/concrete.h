// concrete: an entry with every $name replaced by a value.
#ifndef SUITE_CONCRETE_H
#define SUITE_CONCRETE_H

#include "base/list.h"
#include "expand.h"
#include "substitute.h"

struct concrete {
    struct bilanx_suite_entry entry;
    struct list texts;   // owns what the entry points to
    struct list arrays;  // as above
};
void concrete_done(struct concrete *concrete);
SCOPE_VALUE(concrete, concrete_done)

// Errors include the location of the dollar.
struct bilanx_error concrete_make(const struct bilanx_suite_entry *entry,
                                  const struct bindings *bindings, const struct origin *origin,
                                  struct concrete *out);

// Whether it is the terminator of an array.
bool suite_compile_ends(const struct bilanx_suite_compile *compile);

#endif

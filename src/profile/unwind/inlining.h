// inlining: which functions were inlined at an address, from debug information.
#ifndef UNWIND_INLINING_H
#define UNWIND_INLINING_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

// Strings belong to the module.
struct inlined {
    const char *name, *file;
};

struct inlining {
    const char *function, *file;  // that the code belongs to; NULL: unknown
    struct inlined *items;        // innermost first
    size_t count, room;
};

// The unit that was compiled to the code at an address; NULL: none.
Dwarf_Die *inlining_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias);

// Leaves everything empty if there is no debug information.
void inlining_find(struct inlining *inlining, Dwfl_Module *module, uint64_t address);
void inlining_done(struct inlining *inlining);
SCOPE_VALUE(inlining, inlining_done)

#endif

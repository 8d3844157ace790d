// symbols: the functions of an image by address, and their names as a person writes them.
#ifndef UNWIND_SYMBOLS_H
#define UNWIND_SYMBOLS_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct symbol {
    uint64_t start, size;  // size 0: unknown, up to the next one
    const char *name;      // belongs to the module
    unsigned rank;         // of several at one address, the highest is shown
};

struct symbols {
    struct symbol *items;  // sorted by address, one for each
    size_t count, room;
};
struct symbols *symbols_read(Dwfl_Module *module);
void symbols_free(struct symbols *symbols);

// The function that contains an address; NULL: none is known.
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

// For C++ names. Uses libstdc++ if this system has it; otherwise names stay as they are.
struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler);
SCOPE_POINTER(demangler, demangler_free)
char *demangle(struct demangler *demangler, const char *name);  // the caller frees the result

#endif

// recipes: libraries by name: what to include, how to compile and link. One line in a table each.
#ifndef LANG_RECIPES_H
#define LANG_RECIPES_H

#include <stdbool.h>

#include "base/list.h"
#include "base/surroundings.h"
#include "base/text.h"

struct recipe {
    const char *name;
    const char *summary;
    const char *install;    // Debian's package
    const char *headers;    // program text at the top of every snippet
    const char *probe;      // a file below the root that shows it is there; NULL: nothing to see
    const char *variable;   // an environment variable that may name another root than /usr
    const char *includes;   // folders below the root, words
    const char *libraries;  // words for the linker
    const char *first_use;  // program text that has the library do what it does but once; NULL
    bool cplusplus;         // for C++ only
    bool costly;            // its headers take seconds to read: they are compiled once
};

// Looks a recipe up by name; the error says what there is.
struct bilanx_error recipes_find(const char *name, const struct recipe **out);

// Adds what the named recipes stand for: flags for the compiler, program text, and whether that is
// costly to read. They are looked up as a compiler in the surroundings would; NULL: as in ours.
struct bilanx_error recipes_apply(const struct list *names, bool cplusplus,
                                  const struct surroundings *surroundings, struct list *flags,
                                  struct text *headers, bool *costly);

#endif

// recipes: libraries by name: headers and flags for compiling and linking. One table line each.
#ifndef LANG_RECIPES_H
#define LANG_RECIPES_H

#include <stdbool.h>

#include "base/list.h"
#include "base/surroundings.h"
#include "base/text.h"

struct recipe {
    const char *name;
    const char *summary;
    const char *install;    // Debian package
    const char *headers;    // program text placed at the top of every snippet
    const char *probe;      // file below the root that shows it is installed; NULL: no check
    const char *variable;   // environment variable that overrides the root /usr
    const char *includes;   // words: folders below the root
    const char *libraries;  // linker arguments
    const char *first_use;  // program text that triggers one-time initialisation; NULL: none
    bool cplusplus;         // for C++ only
    bool costly;            // headers take seconds to parse: precompile them
};

// Looks up a recipe by name; the error lists those available.
struct bilanx_error recipes_find(const char *name, const struct recipe **out);

// Adds the compiler flags and program text of the named recipes, and sets `*costly` if the headers
// are slow to parse. Searches as a compiler in the surroundings would; NULL: as in this process.
struct bilanx_error recipes_apply(const struct list *names, bool cplusplus,
                                  const struct surroundings *surroundings, struct list *flags,
                                  struct text *headers, bool *costly);

#endif

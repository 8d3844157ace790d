// recipes: libraries by name: headers and flags for compiling and linking. One table line each.
#ifndef LANG_RECIPES_H
#define LANG_RECIPES_H

#include <stdbool.h>

#include "base/list.h"
#include "base/surroundings.h"
#include "base/text.h"
#include "slim.h"

struct recipe {
    const char *name;
    const char *summary;
    const char *install;      // Debian package
    const char *headers;      // program text placed at the top of every snippet
    const char *probe;        // file below the root that shows it is installed; NULL: no check
    const char *variable;     // environment variable that overrides the root /usr
    const char *includes;     // words: folders below the root
    const char *libraries;    // linker arguments
    const char *first_use;    // program text that triggers one-time initialisation; NULL: none
    bool cplusplus;           // for C++ only
    bool costly;              // headers take seconds to parse: precompile them
    const struct slim *slim;  // fewer headers that are enough for most texts; NULL: none
};

// What recipes add to a compilation.
struct recipe_parts {
    struct text headers;
    bool costly;
    const struct recipe *large;  // the last one with slim headers, or NULL
    char *root;                  // where it is installed
};
void recipe_parts_done(struct recipe_parts *parts);
SCOPE_VALUE(recipe_parts, recipe_parts_done)

// Looks up a recipe by name; the error lists those available.
struct bilanx_error recipes_find(const char *name, const struct recipe **out);

// Adds the compiler flags of the named recipes, and sets what else they need; the caller ends `out`
// with recipe_parts_done(). Searches as a compiler in the surroundings would; NULL: as in this
// process.
struct bilanx_error recipes_apply(const struct list *names, bool cplusplus,
                                  const struct surroundings *surroundings, struct list *flags,
                                  struct recipe_parts *out);

// The headers of all recipes, with slim ones in place of the large ones, and the further includes
// that a text needs. Returns false if there are none, or none for this text.
bool recipes_slim(const struct recipe_parts *parts, const char *text, struct text *headers,
                  struct text *includes);

#endif

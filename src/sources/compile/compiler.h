// compiler: compiles snippets into shared objects with this environment's compiler.
#ifndef LANG_COMPILER_H
#define LANG_COMPILER_H

#include <stdint.h>

#include "sources/compile/snippet.h"

struct compile_options {           // texts may be NULL
    const char *cc;                // default: cc, or c++
    const char *cflags, *ldflags;  // words; placed after -O2
    struct list flags;             // words placed before cflags: the project's flags
    struct list sources, includes, packages;
    struct list quoted;     // folders for #include "...", searched after those in flags
    struct list recipes;    // names
    const char *directory;  // where the compiler runs; NULL: here
    const char *cache;      // as returned by place_find(); NULL: find it
    bool fresh;             // ignore cached objects
    bool counting;          // compile for valgrind
    unsigned layouts;       // number of layouts to link; 0 and 1: only the linker's
};

struct object {
    char *path;
    size_t place;      // index of the snippet in the object; 0: it is the only one
    char *cc;          // "gcc 12.2.0"
    char *flags;       // all relevant flags
    bool cached;       // nothing was compiled
    bool plain;        // names could not be laundered or the value not kept
    bool laundered;    // laundered: not plain, and plain was not requested
    bool replaced;     // -march=native was replaced for counting
    bool removed;      // the statement left no machine code
    bool traced;       // it did leave some; if neither is set, unknown
    bool copies;       // has variants with several copies
    unsigned layouts;  // number of layouts
    char *fixed;       // why there is only one layout although more were requested; NULL otherwise
    double seconds;    // compile time
};
void object_done(struct object *object);
SCOPE_VALUE(object, object_done)

struct built {
    struct bilanx_error error;
    struct text diagnostics;  // compiler messages about the user's code, for BILANX_E_COMPILE
    struct object object;
};
void built_done(struct built *built);

// Compiles snippets of one language or finds them in the cache. Snippets share a translation unit
// where possible; if it does not compile, the faulty ones are identified and compiled alone.
// Returns errors that affect all snippets; errors of one snippet are in its struct built.
struct bilanx_error compiler_build(const struct snippet *snippets, size_t count,
                                   const struct compile_options *options, struct built *out);

#endif

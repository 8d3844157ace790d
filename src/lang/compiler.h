// compiler: from a snippet to a shared object, by the compiler of this environment.
#ifndef LANG_COMPILER_H
#define LANG_COMPILER_H

#include <stdint.h>

#include "lang/snippet.h"

struct compile_options {           // texts may be NULL
    const char *cc;                // default: cc, or c++
    const char *cflags, *ldflags;  // words; after -O2
    struct list flags;             // words, before cflags: a project's own
    struct list sources, includes, packages;
    const char *directory;  // where the compiler runs; NULL: here
    bool fresh;             // the cache is not asked
    bool counting;          // for valgrind to run
};

struct object {
    char *path;
    char *cc;        // "gcc 12.2.0"
    char *flags;     // all that matter
    bool cached;     // nothing was compiled
    bool plain;      // names could not be laundered or the value not kept
    bool replaced;   // for counting, -march=native by another
    bool removed;    // the statement left no trace in the machine code
    bool traced;     // it did leave one; neither: nobody could tell
    double seconds;  // that compiling took
};
void object_done(struct object *object);
SCOPE_VALUE(object, object_done)

// Compiles the snippet, or finds it in the cache. What the compiler says of the user's text is in
// `diagnostics` when the error is BILANX_E_COMPILE.
struct bilanx_error compiler_build(const struct snippet *snippet,
                                   const struct compile_options *options, struct text *diagnostics,
                                   struct object *out);

#endif

// compiler: from a snippet to a shared object, by the compiler of this environment.
#ifndef LANG_COMPILER_H
#define LANG_COMPILER_H

#include <stdint.h>

#include "sources/compile/snippet.h"

struct compile_options {           // texts may be NULL
    const char *cc;                // default: cc, or c++
    const char *cflags, *ldflags;  // words; after -O2
    struct list flags;             // words, before cflags: a project's own
    struct list sources, includes, packages;
    struct list quoted;     // folders for #include "...", after those of flags
    struct list recipes;    // names
    const char *directory;  // where the compiler runs; NULL: here
    const char *cache;      // as place_find() has it; NULL: to be found
    bool fresh;             // the cache is not asked
    bool counting;          // for valgrind to run
    unsigned layouts;       // to link; 0 and 1: as the linker lays it out
};

struct object {
    char *path;
    size_t place;      // of the snippet among those in the object; 0: it is alone
    char *cc;          // "gcc 12.2.0"
    char *flags;       // all that matter
    bool cached;       // nothing was compiled
    bool plain;        // names could not be laundered or the value not kept
    bool laundered;    // neither that nor is it what was asked for
    bool replaced;     // for counting, -march=native by another
    bool removed;      // the statement left no trace in the machine code
    bool traced;       // it did leave one; neither: nobody could tell
    bool copies;       // there are variants with several copies
    unsigned layouts;  // that it has
    char *fixed;       // why it has only one, though more were asked for; NULL: it is not so
    double seconds;    // that compiling took
};
void object_done(struct object *object);
SCOPE_VALUE(object, object_done)

struct built {
    struct bilanx_error error;
    struct text diagnostics;  // what the compiler says of the user's text, for BILANX_E_COMPILE
    struct object object;
};
void built_done(struct built *built);

// Compiles snippets of one language, or finds them in the cache. Those that may share a translation
// unit do; where it does not compile, the guilty are found and compiled alone. Errors are for what
// concerns all; each snippet's own is in its struct built.
struct bilanx_error compiler_build(const struct snippet *snippets, size_t count,
                                   const struct compile_options *options, struct built *out);

#endif

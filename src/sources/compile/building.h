// building: one call of the compiler, in a folder of its own.
#ifndef LANG_BUILDING_H
#define LANG_BUILDING_H

#include "base/temporary.h"
#include "sources/compile/cache.h"
#include "sources/compile/toolchain.h"

struct building {
    const struct toolchain *toolchain;
    const struct compile_options *options;
    const struct cache *cache;
    struct temporary workplace;
    int64_t started_ns;         // by the wall clock: a file changed since is not to be trusted
    struct list objects;        // of the sources
    struct list source_inputs;  // files read for those
    struct list inputs;         // files read for the last unit, and those
    bool precompiled;  // the prelude is there as a header that the compiler has read already
    bool apart;        // the last unit was compiled and linked in two calls
    unsigned layouts;  // in the last object that was linked
    char *fixed;       // why that is only one; NULL: it is not, or nobody asked for more
};

struct bilanx_error building_begin(struct building *building);
void building_done(struct building *building);
SCOPE_VALUE(building, building_done)

char *building_path(const struct building *building, const char *name);  // the caller frees it

// Runs a command that compiles; the error is the first thing that the compiler complains of.
struct bilanx_error building_run(const struct building *building, const struct list *argv,
                                 struct text *diagnostics);

// Compiles the sources that are linked to every snippet.
struct bilanx_error building_sources(struct building *building, struct text *diagnostics);

// Compiles and links a translation unit to "s.so".
struct bilanx_error building_compile(struct building *building, const struct text *source,
                                     bool math, struct text *diagnostics);

// The file with the machine code of the last unit, and with as little else as may be.
char *building_code(const struct building *building);  // the caller frees it

// Notes the files that a rule in the workplace names.
void building_inputs(struct building *building, const char *rule);

// Has the prelude, whose text it is, precompiled, once for all who ask; or only uses it where that
// was done, if `make` is false.
struct bilanx_error precompile(struct building *building, const struct text *prelude, bool make);

#endif

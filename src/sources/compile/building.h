// building: one compilation, in its own temporary folder.
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
    int64_t started_ns;         // wall clock; do not trust files modified since then
    struct list objects;        // compiled from the sources
    struct list source_inputs;  // files read to compile the sources
    struct list inputs;         // files read for the last unit, plus source_inputs
    bool precompiled;           // the prelude is available as a precompiled header
    bool apart;                 // the last unit was compiled and linked separately
    unsigned layouts;           // in the last linked object
    char *fixed;                // why there is only one layout; NULL: as requested
};

struct bilanx_error building_begin(struct building *building);
void building_done(struct building *building);
SCOPE_VALUE(building, building_done)

char *building_path(const struct building *building, const char *name);  // the caller frees it

// Runs a compiler command; the error is the compiler's first complaint.
struct bilanx_error building_run(const struct building *building, const struct list *argv,
                                 struct text *diagnostics);

// Compiles the sources that are linked into every snippet.
struct bilanx_error building_sources(struct building *building, struct text *diagnostics);

// Compiles and links a translation unit into "s.so".
struct bilanx_error building_compile(struct building *building, const struct text *source,
                                     bool math, struct text *diagnostics);

// The file that holds the machine code of the last unit and as little else as possible.
char *building_code(const struct building *building);  // the caller frees it

// Adds the files listed in a Make rule in the workplace.
void building_inputs(struct building *building, const char *rule);

// Whether a prelude was needed before, in this process or another; notes that it is needed now.
// Precompiling takes longer than parsing, so it pays from the second time on.
bool precompile_pays(const struct building *building, const struct text *prelude);

// Precompiles the prelude, whose text is given, once for all users. If `make` is false, only uses
// an existing precompiled header.
struct bilanx_error precompile(struct building *building, const struct text *prelude, bool make);

#endif

// translation: the C of a plan, compiled and loaded.
#ifndef BACKENDS_CODEGEN_TRANSLATION_H
#define BACKENDS_CODEGEN_TRANSLATION_H

#include "schedule.h"
#include "sources/compile/cache.h"
#include "sources/compile/toolchain.h"

typedef int kernel_function(void *const *at);  // not 0: an index is out of range

struct translator {
    struct compile_options how;
    struct toolchain toolchain;
    struct cache cache;
};
// Texts must outlive it.
struct bilanx_error translator_init(struct translator *translator, const char *cc,
                                    const char *cflags);
void translator_done(struct translator *translator);

// Writes the translation unit of a plan.
void translation_write(const struct plan *plan, const struct tuning *tuning, struct text *out);

// Compiles it, or finds it in the cache, and loads it. The caller closes the library.
struct bilanx_error translation_load(const struct translator *translator, const char *name,
                                     const struct text *source, void **library,
                                     kernel_function **function);

#endif

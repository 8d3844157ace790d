// translation: the C of plans, compiled and loaded.
#ifndef BACKENDS_CODEGEN_TRANSLATION_H
#define BACKENDS_CODEGEN_TRANSLATION_H

#include "schedule.h"
#include "sources/compile/cache.h"
#include "sources/compile/toolchain.h"

typedef int kernel_function(void *const *at);  // returns bits: KERNEL_BAD_INDEX, KERNEL_BEYOND

struct translator {
    struct compile_options how;
    struct toolchain toolchain;
    struct cache cache;
};
// Texts must outlive it.
struct bilanx_error translator_init(struct translator *translator, const char *cc,
                                    const char *cflags, int threads);
void translator_done(struct translator *translator);

struct translation {  // what to compile: the loops of a plan, and a compiler
    const struct translator *translator;
    const struct plan *plan;
    struct tuning tuning;
};

// Writes the translation unit of a single plan.
void translation_write(const struct translation *translation, struct text *out);

// Compiles it, or finds it in the cache, and loads it. The caller closes the library.
struct bilanx_error translation_load(const struct translation *translation, void **library,
                                     kernel_function **function);

// Compiles those that are not in the cache, several per translation unit: starting a compiler takes
// longer than compiling a kernel. translation_load() reports what does not compile.
void translations_compile(const struct translation *translations, size_t count);

#endif

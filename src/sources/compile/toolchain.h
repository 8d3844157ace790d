// toolchain: this environment's compiler and its arguments.
#ifndef LANG_TOOLCHAIN_H
#define LANG_TOOLCHAIN_H

#include "sources/compile/compiler.h"
#include "sources/compile/recipes.h"
#include "support/digest/digest.h"

struct toolchain {
    char *path;         // of the compiler
    struct list flags;  // from the user's options, in command-line order
    struct recipe_parts recipes;
    bool cplusplus;
    bool replaced;  // a flag was replaced for counting
    bool shares;    // C++ data may be shared with libraries that also define it
    bool moves;     // functions move from layout to layout
};
void toolchain_done(struct toolchain *toolchain);
SCOPE_VALUE(toolchain, toolchain_done)

struct bilanx_error toolchain_find(bool cplusplus, const struct compile_options *options,
                                   struct toolchain *out);

// A digest of the text and everything that affects its compilation. `math`: libm is linked.
struct digest toolchain_key(const struct toolchain *toolchain,
                            const struct compile_options *options, const struct text *source,
                            bool math);

// Adds the arguments for #include "...". Folders from the user's flags come first: explicit options
// precede defaults.
void toolchain_quoted(const struct toolchain *toolchain, const struct compile_options *options,
                      struct list *argv);

// Adds the arguments that precede the files, and those that follow them.
void toolchain_begin(const struct toolchain *toolchain, struct list *argv);
void toolchain_end(const struct toolchain *toolchain, bool math, struct list *argv);

#endif

// toolchain: the compiler of this environment and what it is told.
#ifndef LANG_TOOLCHAIN_H
#define LANG_TOOLCHAIN_H

#include "sources/compile/compiler.h"
#include "support/digest/digest.h"

struct toolchain {
    char *path;           // of the compiler
    struct list flags;    // that the user's options amount to, in the order of the command line
    struct text headers;  // of the recipes
    bool costly;          // to read those
    bool cplusplus;
    bool replaced;  // one of the flags, for counting
    bool shares;    // data of C++ with libraries that define it, too
    bool moves;     // functions, from layout to layout
};
void toolchain_done(struct toolchain *toolchain);
SCOPE_VALUE(toolchain, toolchain_done)

struct bilanx_error toolchain_find(bool cplusplus, const struct compile_options *options,
                                   struct toolchain *out);

// Stands for everything that a text is compiled with, and the text. `math`: libm is linked.
struct digest toolchain_key(const struct toolchain *toolchain,
                            const struct compile_options *options, const struct text *source,
                            bool math);

// The words for #include "...". Folders of the user's flags come first: what is said comes before
// what goes without saying.
void toolchain_quoted(const struct toolchain *toolchain, const struct compile_options *options,
                      struct list *argv);

// The words of a command before its files, and those after them.
void toolchain_begin(const struct toolchain *toolchain, struct list *argv);
void toolchain_end(const struct toolchain *toolchain, bool math, struct list *argv);

#endif

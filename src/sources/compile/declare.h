// declare: what a piece of C or C++ declares, and whether a statement is a bare expression.
//
// Reads tokens, not types: enough to tell `long x = 0, *p;` from `f(x);`. Where it is mistaken the
// compiler says so, and the snippet is compiled again without what was built on the mistake.
#ifndef LANG_DECLARE_H
#define LANG_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct name {
    char *text;
    bool lasting;  // static, thread_local or _Atomic: it is in memory, whatever its type
};

struct names {
    struct name *items;
    size_t count, room;
};
void names_done(struct names *names);
SCOPE_VALUE(names, names_done)

// The variables that statements at the outermost level declare and that can be changed.
void declare_names(const char *text, bool cplusplus, struct names *out);

// Whether `name` stands in `text` as a word of its own, and not as a member's. Comments and texts
// in quotes count as well: to be asked about too many is no harm.
bool declare_mentions(const char *text, const char *name);

// Whether `statement` is one expression; if so where it is, without a semicolon and comments.
bool declare_expression(const char *statement, const char **start, size_t *size);

#endif

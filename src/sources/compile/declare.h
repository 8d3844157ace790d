// declare: which names a piece of C or C++ declares, and whether a statement is a bare expression.
//
// Works on tokens, not types: enough to tell `long x = 0, *p;` from `f(x);`. If it guesses wrong,
// compilation fails and the snippet is compiled again without relying on the guess.
#ifndef LANG_DECLARE_H
#define LANG_DECLARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct name {
    char *text;
    bool lasting;  // static, thread_local or _Atomic: always in memory, whatever its type
};

struct names {
    struct name *items;
    size_t count, room;
};
void names_done(struct names *names);
SCOPE_VALUE(names, names_done)

// Finds modifiable variables declared at the outermost level.
void declare_names(const char *text, bool cplusplus, struct names *out);

// Whether `name` occurs in `text` as a whole word that is not a member name. Comments and string
// literals count too: false positives are harmless.
bool declare_mentions(const char *text, const char *name);

// Whether `statement` is a single expression. If so, returns it without semicolon and comments.
bool declare_expression(const char *statement, const char **start, size_t *size);

#endif

// inlined_names: names the functions that the compiler inlined into a measured loop.
//
// callgrind counts inlined code for the function that contains it, which is ours. Debug information
// says which function of the user's it was: it becomes "fnv1a (inlined, strlib.c)", with all that
// was inlined into it, as if it had been called.
#ifndef COLLECT_INLINED_NAMES_H
#define COLLECT_INLINED_NAMES_H

#include "base/text.h"
#include "profile/unwind/inlined_lines.h"

// The object that was read last: the repeats of a case have the same one.
struct inlined_names {
    struct inlined_lines lines;
    char *object, *function;
};
void inlined_names_done(struct inlined_names *names);
SCOPE_VALUE(inlined_names, inlined_names_done)

// Adds the text of a callgrind file, whose names are not abbreviated.
void inlined_names_add(struct inlined_names *names, const char *text, struct text *out);

#endif

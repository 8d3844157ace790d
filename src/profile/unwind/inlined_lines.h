// inlined_lines: which functions were inlined into another one, by lines of source.
//
// For counts by line, which do not say where their code is.
#ifndef UNWIND_INLINED_LINES_H
#define UNWIND_INLINED_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct inlined_lines {
    struct inlined_line {
        char *file;  // without its folder
        int line;
        struct inlined_function {
            char *name, *file;  // file: NULL if unknown
        } function;   // that the other one calls: the line is in it, or in what it contains
        bool shared;  // it calls several that contain the line
        struct inlined_function innermost;  // that has the line itself
        size_t depth;                       // of that one
    } *items;
    size_t count, room;
};
void inlined_lines_done(struct inlined_lines *lines);
SCOPE_VALUE(inlined_lines, inlined_lines_done)

// Reads the debug information of an object; nothing if it has none.
void inlined_lines_read(struct inlined_lines *lines, const char *object, const char *function);

// The function that a line belongs to: the one that was inlined, with all that it contains; or, if
// several contain the line, the one that has it. NULL: it was not inlined.
const struct inlined_function *inlined_lines_find(const struct inlined_lines *lines,
                                                  const char *file, int line);

#endif

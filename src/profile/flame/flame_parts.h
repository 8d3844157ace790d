// flame_parts: the parts of a graph that are drawn without scripts.
#ifndef FLAME_FLAME_PARTS_H
#define FLAME_FLAME_PARTS_H

#include "flame.h"
#include "profile/stacks/stack_functions.h"

enum {
    PAGE_WIDTH = 1200,  // in units of the drawing; a browser scales it
    PAGE_MARGIN = 16,
    ROW_HEIGHT = 17,
};

// Adds the frames below `top`. Returns where they end.
double frames_add(const struct stacks *stacks, bool inverted, double top, struct text *out);

// Adds a table of functions. Returns where it ends.
double hottest_add(const struct stacks *stacks, const struct stack_function *functions,
                   size_t count, double top, struct text *out);

// The same rows as JSON, for the script: exact even if the stacks in the file are not all of them.
void hottest_json(const struct stacks *stacks, const struct stack_function *functions, size_t count,
                  struct text *out);

#endif

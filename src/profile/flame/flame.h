// flame: pictures of stacks: a flame graph as one SVG, and a tree for the terminal.
#ifndef FLAME_FLAME_H
#define FLAME_FLAME_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "profile/stacks/stacks.h"

struct flame_options {  // every field may be left at zero
    const char *title;  // default: the title of the stacks
    bool inverted;      // an icicle: the root at the top
    double
        least_share;  // frames below this share of the whole are merged; default: too small to see
};

// Writes a graph that needs nothing else: style, script and the stacks themselves are in the file,
// so it can be read again. Frames that are too small or too many are merged, which limits its size.
void flame_svg(const struct stacks *stacks, const struct flame_options *options, FILE *out);

struct flame_text_options {
    const char *title;
    size_t rows;     // lines to print at most; 0: all frames of at least one percent
    size_t columns;  // longer lines are cut; 0: any length
    bool color;
};

// Adds the heaviest part of the tree.
void flame_text(const struct stacks *stacks, const struct flame_text_options *options,
                struct text *out);

#endif

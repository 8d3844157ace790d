// flame_output: the operations of `bilanx flame` on stacks of any origin: focus on a function,
// draw, print and store.
#ifndef PROGRAMS_FLAME_OUTPUT_H
#define PROGRAMS_FLAME_OUTPUT_H

#include "base/options.h"
#include "profile/stacks/stacks.h"

struct flame_outputs {  // file names may be NULL; "-" is stdout
    const char *svg, *folded, *speedscope, *record;
    bool text, inverted;
    const char *title, *focus, *callees;
    double least_percent;
    uint64_t lines;
    int color;
};

// Options that set these, for the tables of commands.
extern const struct option_rule flame_output_rules[];
extern const struct option flame_output_options[];

// Checks the options before stacks are collected. `input` may be NULL.
struct bilanx_error flame_output_check(const struct flame_outputs *outputs);

// Replaces the stacks by those seen from the function to focus on, if there is one.
struct bilanx_error flame_output_focus(const struct flame_outputs *outputs, struct stacks **stacks);

// Writes all files that are asked for; if none is, prints the tree.
struct bilanx_error flame_output(const struct flame_outputs *outputs, const struct stacks *stacks);

#endif

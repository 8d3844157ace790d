// variants: a block of lines, a benchmark each, labelled by comments.
//
//     # @setup               what is up to the next label runs first
//     x = torch.ones(4)
//     # @plain               a label; each line under it is a benchmark
//     x[0]
//     x[1]
//
// "@global setup" is reserved, too. Lines before any label are benchmarks without one; other
// comments and empty lines mean nothing.
#ifndef SUITE_VARIANTS_H
#define SUITE_VARIANTS_H

#include "base/list.h"
#include "bilanx/suite.h"

enum { VARIANTS_MOST = 1000 };

struct variant {
    char *label;                    // NULL: none
    char *text;                     // its line in the first language that has it
    struct bilanx_suite_code stmt;  // in the lists of the struct variants
    bool alone;                     // the only line under its label
};

struct variants {
    struct variant *items;
    size_t count, room;
    struct bilanx_suite_code setup, global_setup;
    struct list texts;  // keeps what the code points to
};
void variants_done(struct variants *variants);
SCOPE_VALUE(variants, variants_done)

// Lines under one label in several languages belong together, the first to the first. On an error,
// which has no place, `*at` is the block that is at fault and `*fault` where in it.
struct bilanx_error variants_parse(const struct bilanx_suite_code *blocks, struct variants *out,
                                   const char **at, size_t *fault);

#endif

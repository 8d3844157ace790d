// variants: a block of lines, one benchmark each, labelled by comments.
//
//     # @setup               lines up to the next label run first
//     x = torch.ones(4)
//     # @plain               a label; each line under it is a benchmark
//     x[0]
//     x[1]
//
// "@global setup" is reserved as well. Lines before any label are benchmarks without a label; other
// comments and empty lines are ignored.
#ifndef SUITE_VARIANTS_H
#define SUITE_VARIANTS_H

#include "base/list.h"
#include "bilanx/suite.h"

enum { VARIANTS_MOST = 1000 };

struct variant {
    char *label;                    // NULL: none
    char *text;                     // its line in the first language that has one
    struct bilanx_suite_code stmt;  // points into struct variants
    bool alone;                     // the only line under its label
};

struct variants {
    struct variant *items;
    size_t count, room;
    struct bilanx_suite_code setup, global_setup;
    struct list texts;  // owns what the code points to
};
void variants_done(struct variants *variants);
SCOPE_VALUE(variants, variants_done)

// Lines under the same label in several languages are matched in order. On an error, `*at` is the
// faulty block and `*fault` the offset in it; the error does not include a location.
struct bilanx_error variants_parse(const struct bilanx_suite_code *blocks, struct variants *out,
                                   const char **at, size_t *fault);

#endif

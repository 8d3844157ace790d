// fitness: decides whether a machine measures like the others of its kind.
//
// Absolute limits would reject whole clusters, for example for their governor. So a machine is
// unfit if it differs from the others: its reference kernel is slower than theirs, or it fails a
// check that most of them pass.
#ifndef CAMPAIGN_FITNESS_H
#define CAMPAIGN_FITNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct fitness {
    const char *node;
    const char *kind;            // only machines of the same kind are compared
    double kernel_ns;            // of the reference kernel; 0: unknown
    const char *const *failing;  // names of failed checks; ends with NULL
};

// At least FITNESS_PEERS machines of a kind must be known to judge one of them.
enum { FITNESS_PEERS = 3 };
#define FITNESS_SLOWER 1.2

// Adds why all[index] is unfit. Returns false if it is fit.
bool fitness_refuses(const struct fitness *all, size_t count, size_t index, struct text *why);

#endif

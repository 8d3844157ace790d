// reasons: why a verdict is what it is, in one line for a person.
#ifndef CONTEST_REASONS_H
#define CONTEST_REASONS_H

#include "ab/duels/match.h"
#include "base/text.h"

// Of a case whose epochs are complete.
void reason_add(struct text *out, const struct match *match, const struct arena *arena);

// Of one that a second run did not confirm.
void reason_add_refuted(struct text *out, const struct match *match);

// Of one that is taken back, as sides that are the same may look so far apart.
void reason_add_bias(struct text *out, double bias);

extern const char reason_biased[];  // they do, for sure

#endif

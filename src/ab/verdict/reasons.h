// reasons: explains a verdict in one line.
#ifndef AB_VERDICT_REASONS_H
#define AB_VERDICT_REASONS_H

#include "ab/verdict/trial.h"
#include "base/text.h"

void reason_add_share(struct text *out, double fraction);  // "0.25 %", "120 %"

// For a case whose epochs are complete.
void reason_add(struct text *out, const struct trial *trial, const struct trial_shared *shared);

// For a change that a second run did not confirm.
void reason_add_refuted(struct text *out, const struct trial *trial);

// For a verdict withdrawn because identical sides may appear that far apart.
void reason_add_bias(struct text *out, double bias);

extern const char reason_biased[];  // identical sides certainly differ

#endif

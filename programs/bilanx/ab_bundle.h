// ab_bundle: the option --bundle of `bilanx ab`: everything about a comparison in one ZIP file.
//
// The comparison is the same as without it. Then the cases that got slower are counted and sampled,
// and the file is written, even if something failed or was interrupted.
#ifndef PROGRAMS_AB_BUNDLE_H
#define PROGRAMS_AB_BUNDLE_H

#include "ab_report.h"
#include "ab_samples.h"
#include "base/list.h"
#include "results/bundle/bundle.h"

struct ab_bundle {          // all zero: not asked for
    struct bundle *bundle;  // NULL until the sides are open
    struct list sides;      // their names
    const char *step;       // the current step, to report what an interruption leaves out
};
void ab_bundle_done(struct ab_bundle *bundle);

extern const struct option ab_bundle_options[];  // for a struct ab_arguments

// Before anything is measured: whether the options fit, and the file can be written.
struct bilanx_error ab_bundle_check(const struct ab_arguments *arguments);

// Events of a comparison; each does nothing without a bundle. Results and counts lose their
// records.
void ab_bundle_open(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                    const struct side *const *sides, size_t count);
void ab_bundle_compared(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                        const struct ab_pair *pair, struct ab_results *results);
void ab_bundle_counted(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                       const struct ab_pair *pair, struct ab_counts *counts);
bool ab_bundle_examines(const struct ab_bundle *bundle, const char *name);

// Sampling starts; whether a case is to be sampled; and its samples on all sides.
void ab_bundle_sampling(struct ab_bundle *bundle, const struct ab_sampled_side *sides,
                        size_t count);
bool ab_bundle_samples(const struct ab_bundle *bundle, const struct run_cases *cases, size_t at);
void ab_bundle_sampled(struct ab_bundle *bundle, const struct ab_sampled_side *sides, size_t at,
                       const struct ab_samples *samples);

// Writes the file, after a comparison that ended with `error`. Returns an exit code.
int ab_bundle_finish(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                     struct bilanx_error error);

#endif

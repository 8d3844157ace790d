// bisect: finds the first commit that made a case slower.
//
// Bisects the commits between two revisions, the second of which is slower. Each commit is compared
// with the first revision. A step need not detect a change; it only has to decide whether the
// commit shows more or less than half of the whole change. Commits that compile to known code are
// not measured; those that cannot be built or judged are skipped. In the end the commit found is
// compared with its parent, and is reported only if it is slower.
#ifndef AB_COMPARISON_BISECT_H
#define AB_COMPARISON_BISECT_H

#include "ab/comparison/comparison.h"

struct ab_bisection {
    char *name;          // of the case
    double change;       // between the two revisions
    char *commit;        // "1a2b3c4 subject": the first slower commit; NULL: none was confirmed
    size_t unjudged;     // commits directly before it that could not be judged
    char *from, *to;     // titles of the last pair compared: the commit and its predecessor
    bool is_not_slower;  // if there is no commit: `to` is not slower; otherwise undecided
    struct bilanx_record record;  // of the commit; kind NULL: none
};
void ab_bisection_done(struct ab_bisection *bisection);
SCOPE_VALUE(ab_bisection, ab_bisection_done)

// Both sides must be revisions: "git:REV". Reports the result for each commit to the observer.
struct bilanx_error ab_bisect(const struct ab_options *options, const struct ab_observer *observer,
                              struct ab_bisection *out);

#endif

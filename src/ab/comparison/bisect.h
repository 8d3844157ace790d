// bisect: the first commit that made a case slower.
//
// Halves the commits between two revisions of which the second is slower; each is compared with the
// first revision. A step need not detect any change, only on which side of half of the whole change
// a commit lies. A commit that compiles to the same as one that is known is not measured, one that
// cannot be built or judged is passed over. What is found is then compared with what is before it:
// a commit is named only if it is slower than its parent.
#ifndef AB_COMPARISON_BISECT_H
#define AB_COMPARISON_BISECT_H

#include "ab/comparison/comparison.h"

struct ab_bisection {
    char *name;          // of the case
    double change;       // between the two revisions
    char *commit;        // "1a2b3c4 subject": the first slower commit; NULL: no single one holds up
    size_t unjudged;     // commits right before it that could not be judged
    char *from, *to;     // titles of what was compared last: the commit and what is before it
    bool is_not_slower;  // without a commit: `to` is not slower; otherwise undecided
    struct bilanx_record record;  // of the commit; of kind NULL: there is none
};
void ab_bisection_done(struct ab_bisection *bisection);
SCOPE_VALUE(ab_bisection, ab_bisection_done)

// Both sides are revisions: "git:REV". The observer hears what became of each commit.
struct bilanx_error ab_bisect(const struct ab_options *options, const struct ab_observer *observer,
                              struct ab_bisection *out);

#endif

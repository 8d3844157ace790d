// same_code: whether a case compiles to the same code on two revisions.
#ifndef AB_COMPARISON_SAME_CODE_H
#define AB_COMPARISON_SAME_CODE_H

#include "ab/comparison/side_cases.h"
#include "ab/sides/fingerprint.h"

struct ab_code {
    char text[DIGEST_TEXT];  // "": unknown
};
struct ab_code ab_code_of(struct ab_side *side, const struct run_case *item);

// False if either is unknown.
bool ab_is_same_code(const struct ab_code *a, const struct ab_code *b);

#endif

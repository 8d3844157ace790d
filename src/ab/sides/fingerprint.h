// fingerprint: a short text that identifies the content that a program or compiled statement of a
// revision loads. Two commits that differ only in a comment have the same fingerprint.
//
// Only the loaded content of an ELF file counts, not debug information or the build id. The
// location of the checkout does not matter. Shared libraries loaded from the checkout are included.
#ifndef AB_SIDES_FINGERPRINT_H
#define AB_SIDES_FINGERPRINT_H

#include "ab/sides/side.h"
#include "support/digest/digest.h"

// `file` may be relative to the side's directory. Returns false if unknown: not an ELF file for
// this machine, or the side is not a commit.
bool side_fingerprint(const struct side *side, const char *file, char out[DIGEST_TEXT]);

#endif

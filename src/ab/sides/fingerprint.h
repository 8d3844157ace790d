// fingerprint: what a program or a compiled statement of a revision loads, as a short text that is
// equal where that is equal: two commits of which the second changes a comment compile to the same.
//
// Of an ELF file only what is loaded counts: neither what debuggers read nor the build id; where
// the checkout lies does not matter. Shared libraries that it loads from the checkout belong to it.
#ifndef AB_SIDES_FINGERPRINT_H
#define AB_SIDES_FINGERPRINT_H

#include "ab/sides/side.h"
#include "support/digest/digest.h"

// `file` may be relative to where the side's processes start. False: nobody knows, as it is no ELF
// file of this machine, or the side is no commit.
bool side_fingerprint(const struct side *side, const char *file, char out[DIGEST_TEXT]);

#endif

// digest: a 128-bit digest of a content that can be stored anywhere: XXH3-128 from xxHash.
//
// For lookups within one process, use base/hash, which needs only libc.
#ifndef DIGEST_DIGEST_H
#define DIGEST_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct digest {
    uint64_t high, low;
};
enum { DIGEST_TEXT = 33 };

// Formats a digest as xxh128sum prints it.
const char *digest_text(const struct digest *digest, char out[DIGEST_TEXT]);

// Digests the rest of an open file, as xxh128sum would; `path` is for messages.
struct bilanx_error digest_file(int fd, const char *path, struct digest *out);

// Digests several parts. The boundaries between parts matter too.
struct digester;
struct digester *digester_new(void);
void digester_free(struct digester *digester);
SCOPE_POINTER(digester, digester_free)
void digester_add(struct digester *digester, const void *bytes, size_t size);
void digester_add_text(struct digester *digester, const char *text);  // NULL differs from ""
struct digest digester_get(const struct digester *digester);

#endif

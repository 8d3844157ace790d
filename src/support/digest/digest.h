// digest: 128 bits that stand for a content, wherever they are kept: XXH3-128 of xxHash.
//
// For what one process looks up in its own memory base/hash will do, which needs libc alone.
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

// As xxh128sum prints it.
const char *digest_text(const struct digest *digest, char out[DIGEST_TEXT]);

// Of all that is left in an open file, as xxh128sum has it; `path` is for messages.
struct bilanx_error digest_file(int fd, const char *path, struct digest *out);

// Of several parts. The border between two of them counts, too.
struct digester;
struct digester *digester_new(void);
void digester_free(struct digester *digester);
SCOPE_POINTER(digester, digester_free)
void digester_add(struct digester *digester, const void *bytes, size_t size);
void digester_add_text(struct digester *digester, const char *text);  // NULL differs from ""
struct digest digester_get(const struct digester *digester);

#endif

// digest: XXH3-128 from xxHash.
//
// xxHash is compiled in, not loaded: the worker uses this and starts for every epoch, and each
// shared library would slow its start.
#include "digest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

enum { PIECE_BYTES = 1 << 17 };

struct digester {
    XXH3_state_t *state;  // allocated separately: it needs more alignment than mem_new() gives
};

static struct digest from_xxh(XXH128_hash_t hash)
{
    return (struct digest){hash.high64, hash.low64};
}

const char *digest_text(const struct digest *digest, char out[DIGEST_TEXT])
{
    snprintf(out, DIGEST_TEXT, "%016llx%016llx", (unsigned long long)digest->high,
             (unsigned long long)digest->low);
    return out;
}

struct digester *digester_new(void)
{
    struct digester *digester = mem_new(struct digester);
    digester->state = XXH3_createState();
    if (!digester->state)
        abort();
    XXH3_128bits_reset(digester->state);
    return digester;
}

void digester_free(struct digester *digester)
{
    if (digester)
        XXH3_freeState(digester->state);
    free(digester);
}

void digester_add(struct digester *digester, const void *bytes, size_t size)
{
    uint64_t border = size;
    XXH3_128bits_update(digester->state, &border, sizeof border);
    if (size)
        XXH3_128bits_update(digester->state, bytes, size);
}

void digester_add_text(struct digester *digester, const char *text)
{
    static const uint64_t none = UINT64_MAX;  // a length that no string has
    if (text)
        digester_add(digester, text, strlen(text));
    else
        XXH3_128bits_update(digester->state, &none, sizeof none);
}

struct digest digester_get(const struct digester *digester)
{
    return from_xxh(XXH3_128bits_digest(digester->state));
}

struct bilanx_error digest_file(int fd, const char *path, struct digest *out)
{
    AUTO(digester) struct digester *digester = digester_new();
    AUTO(memory) char *piece = mem_array(char, PIECE_BYTES);
    for (;;) {
        ssize_t size = read(fd, piece, PIECE_BYTES);
        if (size == 0)
            break;
        if (size < 0 && errno != EINTR)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", path,
                                     strerror(errno));
        if (size > 0)
            XXH3_128bits_update(digester->state, piece, (size_t)size);
    }
    *out = digester_get(digester);
    return BILANX_SUCCESS;
}

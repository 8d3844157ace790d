// hash: 128 bits that stand for a content. Against accidents, not against attackers.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t a, b;
};
enum { HASH_TEXT = 33 };

struct hash hash_start(void);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_add_text(struct hash *hash, const char *text);  // with its end; NULL differs from ""
const char *hash_text(const struct hash *hash, char out[HASH_TEXT]);

#endif

// hash: 128 bits by which a process finds things in its memory. What is kept in a file, or names
// one, has a digest (digest/digest.h).
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t a, b;
};

struct hash hash_start(void);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_add_text(struct hash *hash, const char *text);  // with its end; NULL differs from ""

#endif

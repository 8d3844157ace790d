// hash: 128-bit hashes for lookups in memory. For anything stored in a file, or used as a file
// name, use a digest (digest/digest.h).
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t a, b;
};

struct hash hash_start(void);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_add_text(struct hash *hash, const char *text);  // including its end; NULL differs from ""
struct hash hash_of_text(const char *text);               // of one text

#endif

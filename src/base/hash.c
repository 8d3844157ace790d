// hash: two lanes of multiply and fold.
#include "hash.h"

#include <string.h>

static uint64_t fold(uint64_t x, uint64_t y)
{
    __extension__ unsigned __int128 product = (unsigned __int128)x * y;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

struct hash hash_start(void)
{
    return (struct hash){0x243F6A8885A308D3u, 0x13198A2E03707344u};
}

static void add_word(struct hash *hash, uint64_t word)
{
    hash->a = fold(hash->a ^ word, 0x9E3779B97F4A7C15u) + hash->b;
    hash->b = fold(hash->b + word, 0xC2B2AE3D27D4EB4Fu) ^ hash->a;
}

void hash_add(struct hash *hash, const void *bytes, size_t size)
{
    const char *at = bytes;
    add_word(hash, size);
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        add_word(hash, word);
    }
    uint64_t rest = 0;
    if (size)  // nothing may be at NULL
        memcpy(&rest, at, size);
    add_word(hash, rest);
}

void hash_add_text(struct hash *hash, const char *text)
{
    if (text)
        hash_add(hash, text, strlen(text));
    else
        add_word(hash, UINT64_MAX);
}

struct hash hash_of_text(const char *text)
{
    struct hash hash = hash_start();
    hash_add_text(&hash, text);
    return hash;
}

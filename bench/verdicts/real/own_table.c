// own_table: a hash table of strings with open addressing, as many programs implement it.
#include <stdint.h>
#include <string.h>

#include "work.h"

enum { SLOTS = 1024, KEYS = 600 };
struct entry {
    const char *key;
    uint32_t hash;
    int value;
};
static struct entry entries[SLOTS];
static char keys[KEYS][12];

static uint32_t hash_of(const char *key);
static int matches(const struct entry *entry, const char *key, uint32_t hash);
static struct entry *find(const char *key);
static void insert(const char *key, int value);

// Definitions, in any order.

static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash;
}

static int matches(const struct entry *entry, const char *key, uint32_t hash)
{
    return !entry->key || (entry->hash == hash && strcmp(entry->key, key) == 0);
}

static struct entry *find(const char *key)
{
    uint32_t hash = hash_of(key), at = hash % SLOTS;
    while (!matches(&entries[at], key, hash))
        at = (at + 1) % SLOTS;
    return &entries[at];
}

static void insert(const char *key, int value)
{
    struct entry *entry = find(key);
    *entry = (struct entry){key, hash_of(key), value};
}

void prepare(void)
{
    for (int i = 0; i < KEYS; i++) {
        snprintf(keys[i], sizeof keys[i], "key %d", i * 13);
        insert(keys[i], i);
    }
    EXPECT(find("key 130")->value == 10 && !find("key 131")->key);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        for (int i = 0; i < 16; i++)
            KEEP(find(keys[i * 37])->value);
}

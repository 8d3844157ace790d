// cache: compiled objects by what went into them.
//
// An entry is an object and a manifest, which lists the files that the compiler and the linker
// read, with their sizes, times and contents. It is good as long as they are all as they were.
// Under $XDG_CACHE_HOME/bilanx, or ~/.cache/bilanx, or a folder in /tmp when neither can be
// written; may be removed at any time. Entries appear whole: they are written aside and renamed.
#ifndef LANG_CACHE_H
#define LANG_CACHE_H

#include "base/hash.h"
#include "base/list.h"
#include "base/text.h"

struct cache {
    char *root;
};

struct cache_entry {
    char *object;       // path
    struct list facts;  // lines "name value" that whoever made it wanted kept
};

// Where things of one sort are kept: "objects". Made where it is missing; the caller frees the
// path.
struct bilanx_error cache_folder(const char *name, char **out);

struct bilanx_error cache_open(struct cache *out);
void cache_done(struct cache *cache);
SCOPE_VALUE(cache, cache_done)
void cache_entry_done(struct cache_entry *entry);
SCOPE_VALUE(cache_entry, cache_entry_done)

// The value of a fact, or NULL.
const char *cache_fact(const struct cache_entry *entry, const char *name);

// True when there is a good entry for the key.
bool cache_find(const struct cache *cache, const struct hash *key, struct cache_entry *out);

// A folder to build in, on the same file system; the caller frees the path,
// cache_remove_workplace() removes the folder.
struct bilanx_error cache_workplace(const struct cache *cache, char **out);
void cache_remove_workplace(const char *path);

// Keeps a built object, which is moved. `inputs` are the files it was made from; `started_ns` is
// the wall-clock time when making it began: a file changed since is not to be trusted.
struct bilanx_error cache_keep(const struct cache *cache, const struct hash *key, const char *built,
                               const struct list *inputs, int64_t started_ns,
                               struct cache_entry *entry);

#endif

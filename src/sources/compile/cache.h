// cache: compiled objects, keyed by their inputs.
//
// An entry is an object and a manifest, and perhaps a list of the libraries that the object loads.
// The manifest has the hash of the object and lists the files that the compiler and linker read,
// with sizes, times and hashes. The entry is valid while all of them are unchanged. The object is
// always the file of the same name next to the manifest, whatever the manifest says. Entries may be
// removed at any time. They appear atomically: written elsewhere, then renamed.
#ifndef LANG_CACHE_H
#define LANG_CACHE_H

#include "base/list.h"
#include "base/text.h"
#include "support/digest/digest.h"

struct cache {
    char *root;               // as returned by place_find()
    char *objects;            // folder below root
    char *building;           // build folder below root, on the same file system
    struct verified *latest;  // the object verified last: several entries may share it
};

#define CACHE_LIBRARIES ".libraries"  // after an object's name: lists what it loads; may be missing

struct cache_entry {
    char *object;       // path
    struct list facts;  // lines "name value" stored by the creator
};

// `root` is the result of place_find() in the parent process; NULL: find it here.
struct bilanx_error cache_open(const char *root, struct cache *out);
void cache_done(struct cache *cache);
SCOPE_VALUE(cache, cache_done)
void cache_entry_done(struct cache_entry *entry);
SCOPE_VALUE(cache_entry, cache_entry_done)

// The value of a fact, or NULL.
const char *cache_fact(const struct cache_entry *entry, const char *name);

// Returns true if there is a valid entry for the key. The whole object has then been read.
bool cache_find(const struct cache *cache, const struct digest *key, struct cache_entry *out);

// Moves a built object into the cache. `inputs` are the files it was made from. `started_ns` is the
// wall-clock time at which the build began: files modified since then may not match the object.
struct bilanx_error cache_keep(const struct cache *cache, const struct digest *key,
                               const char *built, const struct list *inputs, int64_t started_ns,
                               struct cache_entry *entry);

// The same for an object that several entries share: the cache gets a link to it.
struct bilanx_error cache_share(const struct cache *cache, const struct digest *key,
                                const char *built, const struct list *inputs, int64_t started_ns,
                                struct cache_entry *entry);

#endif

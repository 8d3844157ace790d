// cache: compiled objects by what went into them.
//
// An entry is an object and a manifest, which says what the object's content is and lists the files
// that the compiler and the linker read, with their sizes, times and contents. It is good as long
// as they are all as they were. The object is the file of the same name beside it, whatever a
// manifest says. May be removed at any time. Entries appear whole: they are written aside and
// renamed.
#ifndef LANG_CACHE_H
#define LANG_CACHE_H

#include "base/list.h"
#include "base/text.h"
#include "support/digest/digest.h"

struct cache {
    char *root;               // as place_find() has it
    char *objects;            // a folder in it
    char *building;           // another, on the same file system: to compile in
    struct verified *latest;  // the object whose content was looked at last: several may share it
};

struct cache_entry {
    char *object;       // path
    struct list facts;  // lines "name value" that whoever made it wanted kept
};

// `root` is what place_find() gave to whoever started this process; NULL: to be found.
struct bilanx_error cache_open(const char *root, struct cache *out);
void cache_done(struct cache *cache);
SCOPE_VALUE(cache, cache_done)
void cache_entry_done(struct cache_entry *entry);
SCOPE_VALUE(cache_entry, cache_entry_done)

// The value of a fact, or NULL.
const char *cache_fact(const struct cache_entry *entry, const char *name);

// True when there is a good entry for the key. All of the object has been read then.
bool cache_find(const struct cache *cache, const struct digest *key, struct cache_entry *out);

// Keeps a built object, which is moved. `inputs` are the files it was made from; `started_ns` is
// the wall-clock time when making it began: a file changed since is not to be trusted.
struct bilanx_error cache_keep(const struct cache *cache, const struct digest *key,
                               const char *built, const struct list *inputs, int64_t started_ns,
                               struct cache_entry *entry);

#endif

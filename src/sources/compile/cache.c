// cache: compiled objects, keyed by their inputs.
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/place.h"

static const char MANIFEST_HEAD[] = "bilanx-object 4";
enum { MOST_ENTRIES = 4096, LARGEST_MANIFEST = 64 << 20 };
static const int64_t MOST_BYTES = (int64_t)8 << 30;  // precompiled headers are half a GB each
static const int64_t IN_USE_S = 3600;                // entries used this recently are kept

struct verified {
    struct stat status;
    struct digest digest;
};

struct bilanx_error cache_open(const char *root, struct cache *out)
{
    AUTO(cache) struct cache cache = {.root = mem_text(root)};
    if (root)
        BILANX_TRY(place_check(root));
    else
        BILANX_TRY(place_find(NULL, &cache.root));
    cache.objects = mem_format("%s/%s", cache.root, PLACE_OBJECTS);
    cache.building = mem_format("%s/%s", cache.root, PLACE_BUILDING);
    cache.latest = mem_new(struct verified);
    *out = cache;
    cache = (struct cache){0};
    return BILANX_SUCCESS;
}

void cache_done(struct cache *cache)
{
    free(cache->root);
    free(cache->objects);
    free(cache->building);
    free(cache->latest);
    *cache = (struct cache){0};
}

void cache_entry_done(struct cache_entry *entry)
{
    free(entry->object);
    list_done(&entry->facts);
    *entry = (struct cache_entry){0};
}

const char *cache_fact(const struct cache_entry *entry, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < entry->facts.count; i++)
        if (strncmp(entry->facts.items[i], name, size) == 0 && entry->facts.items[i][size] == ' ')
            return entry->facts.items[i] + size + 1;
    return NULL;
}

static char *path_of(const struct cache *cache, const struct digest *key, const char *ending)
{
    char name[DIGEST_TEXT];
    return mem_format("%s/%s%s", cache->objects, digest_text(key, name), ending);
}

static int64_t modified_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

// Opens a file that only we can have written: not a link, not a device or pipe.
static bool open_own(const char *path, int *fd, struct stat *status)
{
    *fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return *fd >= 0 && fstat(*fd, status) == 0 && S_ISREG(status->st_mode) &&
           status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

// `made`: just created by us; each new link then changes st_ctim.
static bool is_same(const struct stat *one, const struct stat *other, bool made)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
           one->st_size == other->st_size && modified_ns(one) == modified_ns(other) &&
           (made || memcmp(&one->st_ctim, &other->st_ctim, sizeof one->st_ctim) == 0);
}

static bool object_digest(const struct cache *cache, const char *path, bool made,
                          struct stat *status, struct digest *out)
{
    AUTO(fd) int fd = -1;
    struct verified *latest = cache->latest;
    if (!open_own(path, &fd, status))
        return false;
    if (!is_same(&latest->status, status, made)) {
        *latest = (struct verified){0};
        if (digest_file(fd, path, &latest->digest).status != BILANX_OK)
            return false;
        latest->status = *status;
    }
    *out = latest->digest;
    return true;
}

// A line "object SIZE DIGEST".
static bool is_object(const struct cache *cache, const char *line, const char *object)
{
    AUTO(text) struct text expected = {0};
    char digits[DIGEST_TEXT];
    struct stat status;
    struct digest digest;
    if (!object_digest(cache, object, false, &status, &digest))
        return false;
    text_format(&expected, "object %lld %s", (long long)status.st_size,
                digest_text(&digest, digits));
    return strcmp(line, text_get(&expected)) == 0;
}

// Libraries that a linker reads are megabytes in size and rarely change without a new size or time,
// so those suffice.
enum { LARGE = 256 << 10 };

static bool input_digest(const char *path, int64_t size, char out[DIGEST_TEXT])
{
    AUTO(fd) int fd = -1;
    struct digest digest;
    if (size > LARGE) {
        snprintf(out, DIGEST_TEXT, "-");
        return true;
    }
    if (file_open_to_read(path, &fd, NULL).status != BILANX_OK ||
        digest_file(fd, path, &digest).status != BILANX_OK)
        return false;
    digest_text(&digest, out);
    return true;
}

// A line "input SIZE TIME DIGEST PATH".
static bool is_unchanged(const char *line)
{
    long long size, time_ns;
    char kept[DIGEST_TEXT], now[DIGEST_TEXT];
    int path = 0;
    struct stat status;
    if (sscanf(line, "input %lld %lld %32s %n", &size, &time_ns, kept, &path) != 3 || !path)
        return false;
    if (stat(line + path, &status) != 0 || status.st_size != size)
        return false;
    // Touched but perhaps unchanged: compare the content.
    return modified_ns(&status) == time_ns ||
           (kept[0] != '-' && input_digest(line + path, size, now) && strcmp(kept, now) == 0);
}

static bool read_lines(const char *path, struct list *lines)
{
    AUTO(text) struct text text = {0};
    AUTO(fd) int fd = -1;
    struct stat status;
    if (!open_own(path, &fd, &status) || status.st_size > LARGEST_MANIFEST ||
        file_read_fd(fd, path, &text).status != BILANX_OK)
        return false;
    list_split_lines(lines, text_get(&text));
    // The last line shows that the manifest is complete.
    return lines->count >= 3 && strcmp(lines->items[0], MANIFEST_HEAD) == 0 &&
           strcmp(lines->items[lines->count - 1], "end") == 0;
}

static bool read_manifest(const struct cache *cache, const char *path, struct cache_entry *out)
{
    AUTO(list) struct list lines = {0};
    if (!read_lines(path, &lines) || !text_starts(lines.items[1], "object "))
        return false;
    for (size_t i = 2; i + 1 < lines.count; i++) {
        const char *line = lines.items[i];
        if (text_starts(line, "fact "))
            list_add(&out->facts, line + 5);
        else if (!is_unchanged(line))
            return false;
    }
    return is_object(cache, lines.items[1], out->object);  // last because it takes longest
}

bool cache_find(const struct cache *cache, const struct digest *key, struct cache_entry *out)
{
    AUTO(memory) char *manifest = path_of(cache, key, ".manifest");
    AUTO(cache_entry) struct cache_entry entry = {.object = path_of(cache, key, ".so")};
    if (!read_manifest(cache, manifest, &entry))
        return false;
    utimensat(AT_FDCWD, manifest, NULL, 0);  // mark as recently used
    *out = entry;
    entry = (struct cache_entry){0};
    return true;
}

static bool add_object(const struct cache *cache, const char *path, struct text *manifest)
{
    struct stat status;
    struct digest digest;
    char digits[DIGEST_TEXT];
    if (!object_digest(cache, path, true, &status, &digest))
        return false;
    text_format(manifest, "object %lld %s\n", (long long)status.st_size,
                digest_text(&digest, digits));
    return true;
}

static bool add_input(struct text *manifest, const char *path, int64_t started_ns)
{
    struct stat status;
    char digits[DIGEST_TEXT];
    if (stat(path, &status) != 0 || modified_ns(&status) >= started_ns || strchr(path, '\n') ||
        !input_digest(path, status.st_size, digits))
        return false;
    text_format(manifest, "input %lld %lld %s %s\n", (long long)status.st_size,
                (long long)modified_ns(&status), digits, path);
    return true;
}

struct aged {
    char *name;
    int64_t time_ns, bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct aged *left = a, *right = b;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static void remove_entry(const struct cache *cache, const char *manifest)
{
    AUTO(memory) char *path = mem_format("%s/%s", cache->objects, manifest);
    AUTO(memory) char *key = mem_text_n(path, strlen(path) - strlen(".manifest"));
    AUTO(memory) char *object = mem_format("%s.so", key);
    AUTO(memory) char *libraries = mem_format("%s.so%s", key, CACHE_LIBRARIES);
    unlink(path);
    unlink(object);
    unlink(libraries);
}

// If there are too many entries, drops the least recently used half. The manifest's name gives
// those of its objects.
static void bound(const struct cache *cache)
{
    struct aged *entries = NULL;
    size_t count = 0, room = 0;
    int64_t bytes = 0, now = (int64_t)time(NULL);
    AUTO(directory) DIR *directory = opendir(cache->objects);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat status;
        AUTO(memory) char *path = mem_format("%s/%s", cache->objects, entry->d_name);
        if (stat(path, &status) != 0)
            continue;
        if (status.st_nlink == 0)  // being removed
            continue;
        bytes += (int64_t)status.st_size / (int64_t)status.st_nlink;  // several may share a file
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".manifest") != 0)
            continue;
        mem_grow(entries, count, &room);
        entries[count++] = (struct aged){mem_text(entry->d_name), modified_ns(&status), 0};
    }
    if (count)
        qsort(entries, count, sizeof *entries, by_age);
    bool full = count > MOST_ENTRIES || bytes > MOST_BYTES;
    for (size_t i = 0; i < count; i++) {
        bool in_use = now - entries[i].time_ns / 1000000000 < IN_USE_S;
        if (full && i < count / 2 && !in_use)
            remove_entry(cache, entries[i].name);
        free(entries[i].name);
    }
    free(entries);
}

// Without a manifest the object is used only this time.
static bool keep_manifest(const struct cache *cache, const char *built, const char *path,
                          const struct list *inputs, int64_t started_ns,
                          const struct cache_entry *entry)
{
    AUTO(text) struct text manifest = {0};
    AUTO(memory) char *aside = mem_format("%s.manifest", built);
    text_format(&manifest, "%s\n", MANIFEST_HEAD);
    if (!add_object(cache, entry->object, &manifest))
        return false;
    for (size_t i = 0; i < entry->facts.count; i++)
        text_format(&manifest, "fact %s\n", entry->facts.items[i]);
    for (size_t i = 0; i < inputs->count; i++)
        if (!add_input(&manifest, inputs->items[i], started_ns))
            return false;
    text_add(&manifest, "end\n");
    return file_write(aside, manifest.data, manifest.size).status == BILANX_OK &&
           rename(aside, path) == 0;
}

struct bilanx_error cache_keep(const struct cache *cache, const struct digest *key,
                               const char *built, const struct list *inputs, int64_t started_ns,
                               struct cache_entry *entry)
{
    AUTO(memory) char *object = path_of(cache, key, ".so");
    AUTO(memory) char *manifest = path_of(cache, key, ".manifest");
    if (chmod(built, 0700) != 0 || rename(built, object) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot keep '%s': %s", object, strerror(errno));
    entry->object = TAKE(object);
    if (keep_manifest(cache, built, manifest, inputs, started_ns, entry) && key->low % 16 == 0)
        bound(cache);
    return BILANX_SUCCESS;
}

struct bilanx_error cache_share(const struct cache *cache, const struct digest *key,
                                const char *built, const struct list *inputs, int64_t started_ns,
                                struct cache_entry *entry)
{
    AUTO(memory) char *another = mem_format("%s.link", built);
    unlink(another);  // rename() leaves it behind if the entry is this object already
    if (link(built, another) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make '%s': %s", another, strerror(errno));
    return cache_keep(cache, key, another, inputs, started_ns, entry);
}

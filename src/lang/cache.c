// cache: compiled objects by what went into them.
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

static const char MANIFEST_HEAD[] = "bilanx-object 3";
enum { MOST_ENTRIES = 4096 };
static const int64_t MOST_BYTES = (int64_t)8 << 30;  // precompiled headers are half a GB each
static const int64_t IN_USE_S = 3600;                // what was used so lately may be needed

static bool make_folders(const char *path)
{
    AUTO(memory) char *part = mem_text(path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0755);
        *slash = '/';
    }
    return (mkdir(part, 0755) == 0 || errno == EEXIST) && access(part, W_OK | X_OK) == 0;
}

static char *usable(char *path)
{
    if (make_folders(path))
        return path;
    free(path);
    return NULL;
}

struct bilanx_error cache_folder(const char *name, char **out)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    if (xdg && xdg[0] == '/')
        folder = usable(mem_format("%s/bilanx/%s", xdg, name));
    if (!folder && home && home[0] == '/')
        folder = usable(mem_format("%s/.cache/bilanx/%s", home, name));
    if (!folder)
        folder = usable(mem_format("/tmp/bilanx-%u/%s", (unsigned)getuid(), name));
    if (!folder)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "no folder for %s can be written: set XDG_CACHE_HOME to one that "
                                 "can",
                                 name);
    *out = folder;
    return BILANX_SUCCESS;
}

struct bilanx_error cache_open(struct cache *out)
{
    struct cache cache = {0};
    BILANX_TRY(cache_folder("objects", &cache.root));
    *out = cache;
    return BILANX_SUCCESS;
}

void cache_done(struct cache *cache)
{
    free(cache->root);
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

static char *path_of(const struct cache *cache, const struct hash *key, const char *ending)
{
    char name[HASH_TEXT];
    return mem_format("%s/%s%s", cache->root, hash_text(key, name), ending);
}

static int64_t modified_ns(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

// The libraries that a linker reads are megabytes, and nobody touches them without changing them:
// their size and time have to do.
enum { LARGE = 256 << 10 };

static bool content_hash(const char *path, int64_t size, char out[HASH_TEXT])
{
    if (size > LARGE) {
        snprintf(out, HASH_TEXT, "-");
        return true;
    }
    AUTO(text) struct text content = {0};
    if (file_read(path, &content).status != BILANX_OK)
        return false;
    struct hash hash = hash_start();
    hash_add(&hash, text_get(&content), content.size);
    hash_text(&hash, out);
    return true;
}

// A line "input SIZE TIME HASH PATH", or "object ...", of a manifest.
static bool unchanged(const char *line)
{
    long long size, time_ns;
    char hash[HASH_TEXT], now[HASH_TEXT];
    int path = 0;
    struct stat status;
    if (sscanf(line, "%*s %lld %lld %32s %n", &size, &time_ns, hash, &path) != 3 || !path)
        return false;
    if (stat(line + path, &status) != 0 || status.st_size != size)
        return false;
    // Touched but the same: the content decides. The object itself is always looked through.
    bool same_time = modified_ns(&status) == time_ns && strncmp(line, "input", 5) == 0;
    if (same_time)
        return true;
    bool large_input = hash[0] == '-' && strncmp(line, "input", 5) == 0;
    return !large_input && content_hash(line + path, size, now) && strcmp(hash, now) == 0;
}

static bool read_manifest(const char *path, struct cache_entry *out)
{
    AUTO(text) struct text text = {0};
    AUTO(list) struct list lines = {0};
    if (file_read(path, &text).status != BILANX_OK)
        return false;
    list_split_lines(&lines, text_get(&text));
    // The last line says that it is whole.
    if (lines.count < 2 || strcmp(lines.items[0], MANIFEST_HEAD) != 0 ||
        strcmp(lines.items[lines.count - 1], "end") != 0)
        return false;
    for (size_t i = 1; i + 1 < lines.count; i++) {
        const char *line = lines.items[i];
        if (text_starts(line, "fact "))
            list_add(&out->facts, line + 5);
        else if (!unchanged(line))
            return false;
    }
    return true;
}

bool cache_find(const struct cache *cache, const struct hash *key, struct cache_entry *out)
{
    AUTO(memory) char *manifest = path_of(cache, key, ".manifest");
    AUTO(cache_entry) struct cache_entry entry = {.object = path_of(cache, key, ".so")};
    if (!read_manifest(manifest, &entry))
        return false;
    utimensat(AT_FDCWD, manifest, NULL, 0);  // used: not the first to go
    *out = entry;
    entry = (struct cache_entry){0};
    return true;
}

struct bilanx_error cache_workplace(const struct cache *cache, char **out)
{
    AUTO(memory) char *path = mem_format("%s/building-XXXXXX", cache->root);
    if (!mkdtemp(path))
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a folder in '%s': %s", cache->root,
                                 strerror(errno));
    *out = TAKE(path);
    return BILANX_SUCCESS;
}

void cache_remove_workplace(const char *path)
{
    AUTO(directory) DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        AUTO(memory) char *file = mem_format("%s/%s", path, entry->d_name);
        unlink(file);
    }
    rmdir(path);
}

static bool add_file(struct text *manifest, const char *kind, const char *path, int64_t started_ns)
{
    struct stat status;
    char hash[HASH_TEXT];
    if (stat(path, &status) != 0 || !content_hash(path, status.st_size, hash) || strchr(path, '\n'))
        return false;
    if (started_ns && modified_ns(&status) >= started_ns)
        return false;
    text_format(manifest, "%s %lld %lld %s %s\n", kind, (long long)status.st_size,
                (long long)modified_ns(&status), hash, path);
    return true;
}

static bool write_whole(const char *path, const struct text *text)
{
    AUTO(memory) char *aside = mem_format("%s.%d", path, (int)getpid());
    FILE *file = fopen(aside, "we");
    bool written = file && fwrite(text->data, 1, text->size, file) == text->size;
    written = file && fclose(file) == 0 && written && rename(aside, path) == 0;
    if (!written)
        unlink(aside);
    return written;
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
    AUTO(memory) char *path = mem_format("%s/%s", cache->root, manifest);
    unlink(path);
    strcpy(path + strlen(path) - strlen("manifest"), "so");
    unlink(path);
}

// Drops the least recently used half when there are too many. The objects of a manifest are found
// by its name; a workplace that somebody died in is an hour old.
static void bound(const struct cache *cache)
{
    struct aged *entries = NULL;
    size_t count = 0, room = 0;
    int64_t bytes = 0, now = (int64_t)time(NULL);
    AUTO(directory) DIR *directory = opendir(cache->root);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat status;
        AUTO(memory) char *path = mem_format("%s/%s", cache->root, entry->d_name);
        if (stat(path, &status) != 0)
            continue;
        if (status.st_nlink == 0)  // somebody is removing it
            continue;
        bytes += (int64_t)status.st_size / (int64_t)status.st_nlink;  // several may share a file
        if (text_starts(entry->d_name, "building-") && now - status.st_mtim.tv_sec > 3600)
            cache_remove_workplace(path);
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

struct bilanx_error cache_keep(const struct cache *cache, const struct hash *key, const char *built,
                               const struct list *inputs, int64_t started_ns,
                               struct cache_entry *entry)
{
    AUTO(memory) char *object = path_of(cache, key, ".so");
    AUTO(memory) char *manifest_path = path_of(cache, key, ".manifest");
    if (rename(built, object) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot keep '%s': %s", object, strerror(errno));
    AUTO(text) struct text manifest = {0};
    text_format(&manifest, "%s\n", MANIFEST_HEAD);
    for (size_t i = 0; i < entry->facts.count; i++)
        text_format(&manifest, "fact %s\n", entry->facts.items[i]);
    bool whole = add_file(&manifest, "object", object, 0);
    for (size_t i = 0; i < inputs->count && whole; i++)
        whole = add_file(&manifest, "input", inputs->items[i], started_ns);
    text_add(&manifest, "end\n");
    // Without a manifest the object serves this once.
    if (whole && write_whole(manifest_path, &manifest) && key->a % 16 == 0)
        bound(cache);
    entry->object = TAKE(object);
    return BILANX_SUCCESS;
}

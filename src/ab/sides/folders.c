// folders: folders in the cache that one process fills and many use.
#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

enum {
    MOST_FOLDERS = 24,
    IN_USE_S = 3600,
    WAIT_US = 50000,
};

void folder_done(struct folder *folder)
{
    if (folder->lock > 0)
        close(folder->lock);
    free(folder->path);
    *folder = (struct folder){0};
}

static char *in(const struct folder *folder, const char *name)
{
    return mem_format("%s/%s", folder->path, name);
}

// The locked file may have been removed meanwhile, together with its folder.
static bool is_current(int lock, const char *path)
{
    struct stat held, there;
    return fstat(lock, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

static bool is_filled(const struct folder *folder)
{
    AUTO(memory) char *done = in(folder, "done");
    AUTO(memory) char *tree = in(folder, "tree");
    return access(done, F_OK) == 0 && access(tree, X_OK) == 0;
}

// Locks the folder for use if it is filled, or for filling. Leaves it unchanged if neither is
// possible.
static struct bilanx_error try_to_open(struct folder *folder, bool *opened)
{
    AUTO(memory) char *path = in(folder, "lock");
    if (mkdir(folder->path, 0700) != 0 && errno != EEXIST)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make '%s': %s", folder->path,
                                 strerror(errno));
    AUTO(fd) int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0 && errno == ENOENT)  // removed in between
        return BILANX_SUCCESS;
    if (lock < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    if (flock(lock, LOCK_SH | LOCK_NB) != 0 || !is_current(lock, path))
        return BILANX_SUCCESS;
    folder->filled = is_filled(folder);
    if (!folder->filled) {
        if (flock(lock, LOCK_EX | LOCK_NB) != 0 || !is_current(lock, path))
            return BILANX_SUCCESS;
        folder->filled = is_filled(folder);
    }
    futimens(lock, NULL);  // mark as recently used
    folder->lock = lock;
    lock = -1;
    *opened = true;
    return BILANX_SUCCESS;
}

// Removes what an interrupted process left.
static struct bilanx_error clear(const struct folder *folder)
{
    AUTO(memory) char *tree = in(folder, "tree");
    AUTO(memory) char *done = in(folder, "done");
    unlink(done);
    if (file_remove_tree(tree))
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot remove '%s': %s", tree, strerror(errno));
}

struct bilanx_error folder_open(const char *root, const char *name, const struct tell *tell,
                                struct folder *out)
{
    AUTO(folder) struct folder folder = {.path = mem_format("%s/%s", root, name)};
    bool opened = false;
    for (unsigned waits = 0;; waits++) {
        BILANX_TRY(try_to_open(&folder, &opened));
        if (opened)
            break;
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        if (waits == 10)
            tell_line(tell,
                      "waiting for another bilanx process that is building the same revision");
        usleep(WAIT_US / 2 + (unsigned)getpid() % (WAIT_US / 2));  // two never wait in step
    }
    if (!folder.filled)
        BILANX_TRY(clear(&folder));
    *out = folder;
    folder = (struct folder){0};
    return BILANX_SUCCESS;
}

struct bilanx_error folder_fill(struct folder *folder, const char *text)
{
    AUTO(memory) char *aside = in(folder, "done.new");
    AUTO(memory) char *done = in(folder, "done");
    BILANX_TRY(file_write(aside, text, strlen(text)));
    if (rename(aside, done) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", done, strerror(errno));
    flock(folder->lock, LOCK_SH);
    folder->filled = true;
    return BILANX_SUCCESS;
}

struct aged {
    char *path;
    time_t used;
};

static int by_age(const void *a, const void *b)
{
    const struct aged *left = a, *right = b;
    return (left->used > right->used) - (left->used < right->used);
}

static void remove_unused(const char *path)
{
    AUTO(memory) char *lock_path = mem_format("%s/lock", path);
    AUTO(memory) char *tree = mem_format("%s/tree", path);
    AUTO(memory) char *done = mem_format("%s/done", path);
    AUTO(fd) int lock = open(lock_path, O_RDWR | O_CLOEXEC);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0 || !is_current(lock, lock_path))
        return;
    unlink(done);
    if (file_remove_tree(tree))
        file_remove_tree(path);
}

void folders_bound(const char *root)
{
    struct aged *folders = NULL;
    size_t count = 0, room = 0;
    AUTO(directory) DIR *directory = opendir(root);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        AUTO(memory) char *lock = mem_format("%s/%s/lock", root, entry->d_name);
        struct stat status;
        if (entry->d_name[0] == '.' || stat(lock, &status) != 0)
            continue;
        mem_grow(folders, count, &room);
        folders[count++] =
            (struct aged){mem_format("%s/%s", root, entry->d_name), status.st_mtim.tv_sec};
    }
    if (count)
        qsort(folders, count, sizeof *folders, by_age);
    time_t now = time(NULL);
    for (size_t i = 0; i < count; i++) {
        if (count - i > MOST_FOLDERS && now - folders[i].used > IN_USE_S)
            remove_unused(folders[i].path);
        free(folders[i].path);
    }
    free(folders);
}

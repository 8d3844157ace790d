// temporary: directories that disappear with the process that made them.
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "file.h"
#include "mem.h"

static const char PREFIX[] = "bilanx-run-";
enum {
    OLD_S = 10,  // the creator of a newer one may be about to lock it
    TRIES = 10,
};

static const char *or_usual(const char *where)
{
    const char *told = getenv("TMPDIR");
    return where ? where : told && *told ? told : "/tmp";
}

static bool is_at(int fd, const char *path)
{
    struct stat held, there;
    return fd >= 0 && fstat(fd, &held) == 0 && lstat(path, &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

struct bilanx_error temporary_init(struct temporary *temporary, const char *where)
{
    const char *folder = or_usual(where);
    temporary_sweep(folder);
    for (int i = 0; i < TRIES; i++) {
        AUTO(memory) char *path = mem_format("%s/%sXXXXXX", folder, PREFIX);
        if (!mkdtemp(path) || chmod(path, 0700) != 0)  // regardless of the umask
            break;
        AUTO(fd) int lock = open_folder(path);
        if (lock >= 0)
            flock(lock, LOCK_SH);  // without file locks, no process can sweep either
        if (!is_at(lock, path))    // swept before we got the lock, so try again
            continue;
        *temporary = (struct temporary){TAKE(path), lock};
        lock = -1;
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot create a folder in '%s': %s", folder,
                             strerror(errno));
}

void temporary_done(struct temporary *temporary)
{
    if (temporary->path) {
        file_remove_tree(temporary->path);
        close(temporary->lock);
    }
    free(temporary->path);
    *temporary = (struct temporary){0};
}

static void sweep_one(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        time(NULL) - status.st_mtime < OLD_S)
        return;
    AUTO(fd) int lock = open_folder(path);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && is_at(lock, path))
        file_remove_tree(path);
}

void temporary_sweep(const char *where)
{
    const char *folder = or_usual(where);
    AUTO(directory) DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (!text_starts(entry->d_name, PREFIX))
            continue;
        AUTO(memory) char *path = mem_format("%s/%s", folder, entry->d_name);
        sweep_one(path);
    }
}

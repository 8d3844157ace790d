// run_owner: decides who drives a run, and removes its folder at the end.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/mem.h"
#include "base/scope.h"
#include "run_folder.h"

// A user who may only read the folder can still collect from it.
static int open_lock(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return fd >= 0 ? fd : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

struct bilanx_error run_folder_claim(const char *path, int *out)
{
    AUTO(memory) char *file = mem_format("%s/lock", path);
    AUTO(memory) char *cannot = mem_format("cannot use the run in '%s'", path);
    AUTO(fd) int fd = open_lock(file);
    if (fd >= 0) {
        BILANX_TRY(file_lock(fd, cannot, "drives it; wait for its end, or interrupt it"));
        if (!file_lock_is_at(fd, file))
            return bilanx_error_make(BILANX_E_SYSTEM, "%s: it was removed just now", cannot);
    }
    *out = fd;
    fd = -1;
    return BILANX_SUCCESS;
}

// The files of a run; '#' stands for a number, '*' for anything. run.json is removed first, so that
// a partly removed folder does not look like a run with missing records. The lock comes last.
static const struct made {
    const char *folder;
    const char *shapes[4];  // ends with NULL
} everything[] = {
    {".", {"run.json"}},
    {"batches", {"#.json", "#.cases", "#.sh"}},
    {"records", {"#.#.#.#.jsonl"}},
    {"ends", {"#.#.#.json"}},
    {"nodes", {"*.json"}},
    {"logs", {"#.#.log"}},
    {".", {"cases", "earlier.jsonl", "lock"}},
};

static bool fits(const char *shape, const char *name)
{
    for (; *shape; shape++)
        if (*shape == '#') {
            size_t digits = strspn(name, "0123456789");
            if (!digits)
                return false;
            name += digits;
        } else if (*shape == '*') {
            size_t rest = strlen(shape + 1), size = strlen(name);
            return size > rest && strcmp(name + size - rest, shape + 1) == 0;
        } else if (*shape != *name++) {
            return false;
        }
    return *name == '\0';
}

// Files are made under names that end in ".new".
static bool fits_made(const char *shape, const char *name)
{
    static const char unfinished[] = ".new";
    size_t size = strlen(name), end = sizeof unfinished - 1;
    bool is_unfinished = size > end && strcmp(name + size - end, unfinished) == 0;
    AUTO(memory) char *finished = mem_text_n(name, is_unfinished ? size - end : size);
    return fits(shape, finished);
}

static bool is_made(const struct made *made, const char *name)
{
    for (const char *const *shape = made->shapes; *shape; shape++)
        if (fits_made(*shape, name))
            return true;
    return false;
}

void run_folder_remove(const char *path)
{
    for (size_t i = 0; i < sizeof everything / sizeof *everything; i++) {
        AUTO(memory) char *folder = mem_format("%s/%s", path, everything[i].folder);
        AUTO(directory) DIR *directory = opendir(folder);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            if (is_made(&everything[i], entry->d_name))
                unlinkat(dirfd(directory), entry->d_name, 0);
        if (strcmp(everything[i].folder, ".") != 0)
            rmdir(folder);
    }
    rmdir(path);
}

// file: reads, writes and finds files.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mem.h"

static const uint64_t LITTLE_SPACE = 1 << 20;  // bytes
enum { OPEN_AT_ONCE = 16 };                    // directories open at once while removing a tree

static bool reads_as_a_file(const struct stat *status)
{
    bool nothing = S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);  // /dev/null
    return S_ISREG(status->st_mode) || nothing;
}

static struct bilanx_error refuse(const char *path, const struct stat *status)
{
    mode_t mode = status->st_mode;
    const char *kind = S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
    if (S_ISDIR(mode))
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", path, strerror(EISDIR));
    return bilanx_error_make(BILANX_E_INPUT, "cannot read '%s': it is %s, not a file", path, kind);
}

struct bilanx_error file_check(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    return reads_as_a_file(&status) ? BILANX_SUCCESS : refuse(path, &status);
}

// Opening a FIFO must not block until it has a writer.
struct bilanx_error file_open_to_read(const char *path, int *fd, struct stat *status)
{
    AUTO(fd) int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts;
    if (opened < 0 || fstat(opened, &facts) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    if (!reads_as_a_file(&facts))
        return refuse(path, &facts);
    if (status)
        *status = facts;
    *fd = opened;
    opened = -1;
    return BILANX_SUCCESS;
}

bool file_names_descriptor(const char *path)
{
    return text_starts(path, "/dev/fd/") || text_starts(path, "/proc/self/fd/") ||
           text_equal(path, "/dev/stdin");
}

static struct bilanx_error too_large(const char *path)
{
    return bilanx_error_make(BILANX_E_INPUT, "'%s' is too large: the limit is %zu MB", path,
                             FILE_LARGEST >> 20);
}

struct bilanx_error file_read(const char *path, struct text *out)
{
    AUTO(fd) int fd = -1;
    struct stat status = {0};
    BILANX_TRY(file_open_to_read(path, &fd, &status));
    if (status.st_size > (off_t)FILE_LARGEST)
        return too_large(path);
    return file_read_fd(fd, path, out);
}

struct bilanx_error file_read_fd(int fd, const char *path, struct text *out)
{
    char chunk[1 << 14];
    for (size_t total = 0;;) {
        ssize_t size = read(fd, chunk, sizeof chunk);
        if (size == 0)
            return BILANX_SUCCESS;
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", path,
                                     strerror(errno));
        total += (size_t)size;
        if (total > FILE_LARGEST)
            return too_large(path);
        text_add_n(out, chunk, (size_t)size);
    }
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        size_t done = written > 0 ? (size_t)written : 0;
        bytes += done;
        size -= done;
    }
    return true;
}

struct bilanx_error file_write(const char *path, const void *bytes, size_t size)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = fd >= 0 && fchmod(fd, 0600) == 0 && write_all(fd, bytes, size);
    if (written) {  // some file systems report a full disk only now
        written = close(fd) == 0;
        fd = -1;
    }
    if (!written)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

bool file_first_line(const char *path, char *out, size_t size)
{
    out[0] = '\0';
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, size - 1);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return got > 0;
}

static bool is_program(int directory, const char *path)
{
    struct stat status;
    return fstatat(directory, path, &status, 0) == 0 && S_ISREG(status.st_mode) &&
           faccessat(directory, path, X_OK, 0) == 0;
}

char *file_find_program_at(int directory, const char *path, const char *name)
{
    if (strchr(name, '/'))
        return is_program(directory, name) ? mem_text(name) : NULL;
    while (path && *(path += strspn(path, ":"))) {
        size_t size = strcspn(path, ":");
        char *candidate = mem_format("%.*s/%s", (int)size, path, name);
        if (is_program(directory, candidate))
            return candidate;
        free(candidate);
        path += size;
    }
    return NULL;
}

char *file_own_folder(void)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size <= 0)
        return NULL;
    self[size] = '\0';
    char *slash = strrchr(self, '/');
    return slash > self ? mem_text_n(self, (size_t)(slash - self)) : mem_text("/");
}

char *file_find_program(const char *name)
{
    return file_find_program_at(AT_FDCWD, getenv("PATH"), name);
}

bool file_is_below(const char *path, const char *folder)
{
    AUTO(memory) char *inner = realpath(path, NULL);
    AUTO(memory) char *outer = realpath(folder, NULL);
    size_t size = outer ? strlen(outer) : 0;
    return inner && outer && strncmp(inner, outer, size) == 0 && inner[size] == '/';
}

// Some build tools write-protect the directories they unpack.
static int allow(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)place;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, 0700);
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

bool file_remove_tree(const char *path)
{
    nftw(path, allow, OPEN_AT_ONCE, FTW_PHYS | FTW_MOUNT);
    return nftw(path, remove_one, OPEN_AT_ONCE, FTW_PHYS | FTW_MOUNT | FTW_DEPTH) == 0 ||
           errno == ENOENT;
}

bool file_disk_is_full(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return false;
    return disk.f_bavail * disk.f_frsize < LITTLE_SPACE || (disk.f_files && disk.f_favail == 0);
}

// output: files that results are written to.
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "scope.h"

const struct output_kind output_records = {.name = "records", .starts = "{", .holds = "\"bilanx/"};
const struct output_kind output_callgrind = {.name = "callgrind's counts",
                                             .starts = "# callgrind format"};
const struct output_kind output_csv = {.name = "a table of commands", .starts = "command,"};
const struct output_kind output_json = {
    .name = "hyperfine's results", .starts = "{", .holds = "\"results\""};
const struct output_kind output_markdown = {.name = "a table", .starts = "|"};

static struct bilanx_error cannot_write(const char *path)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

static bool is_of_kind(const struct output_kind *kind, const char *bytes, size_t size)
{
    if (kind->starts &&
        (size < strlen(kind->starts) || memcmp(bytes, kind->starts, strlen(kind->starts)) != 0))
        return false;
    return !kind->holds || memmem(bytes, size, kind->holds, strlen(kind->holds));
}

static struct bilanx_error check_content(int fd, const char *path, const struct output_kind *kind,
                                         enum output_mode mode)
{
    char beginning[4096];
    ssize_t size = pread(fd, beginning, sizeof beginning, 0);
    if (size < 0)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot read '%s' to check what would be overwritten: %s", path,
                                 strerror(errno));
    if (size == 0)
        return BILANX_SUCCESS;
    if (!is_of_kind(kind, beginning, (size_t)size))
        return bilanx_error_make(
            BILANX_E_USAGE,
            "'%s' does not contain %s, so it was not overwritten: choose another file", path,
            kind->name);
    if (mode == OUTPUT_NEW && kind->whole)
        return bilanx_error_make(
            BILANX_E_USAGE, "'%s' already contains %s: --overwrite replaces it", path, kind->name);
    if (mode == OUTPUT_NEW)
        return bilanx_error_make(
            BILANX_E_USAGE,
            "'%s' already contains %s: --append adds to them, --overwrite replaces them", path,
            kind->name);
    return BILANX_SUCCESS;
}

static bool is_plain(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

struct bilanx_error output_check(const char *path, const struct output_kind *kind,
                                 enum output_mode mode)
{
    if (!is_plain(path))
        return BILANX_SUCCESS;
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot read '%s' to check what would be overwritten: %s", path,
                                 strerror(errno));
    return check_content(fd, path, kind, mode);
}

// Finds the lock's owner in the kernel's list: "1: FLOCK ADVISORY WRITE PID 08:01:INODE".
static int lock_holder(int fd)
{
    struct stat facts;
    AUTO(text) struct text locks = {0};
    if (fstat(fd, &facts) != 0 || file_read("/proc/locks", &locks).status != BILANX_OK)
        return 0;
    for (const char *line = text_get(&locks); line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int pid;
        unsigned long long inode;
        if (sscanf(line, "%*s FLOCK %*s WRITE %d %*x:%*x:%llu", &pid, &inode) == 2 &&
            inode == facts.st_ino)
            return pid;
    }
    return 0;
}

// File systems without locks are not an error.
static struct bilanx_error lock(int fd, const char *path)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return BILANX_SUCCESS;
    int pid = lock_holder(fd);
    if (pid <= 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': another run is writing to it",
                                 path);
    char command[120] = "", where[40];
    snprintf(where, sizeof where, "/proc/%d/comm", pid);
    file_first_line(where, command, sizeof command);
    return bilanx_error_make(BILANX_E_SYSTEM,
                             "cannot write '%s': process %d%s%s%s is writing to it", path, pid,
                             *command ? " (" : "", command, *command ? ")" : "");
}

// A complete line of JSON ends with a brace, with or without a newline.
static bool end_at_whole_line(int fd)
{
    enum { BLOCK = 4096 };
    char block[BLOCK];
    off_t size = lseek(fd, 0, SEEK_END), whole = size;
    for (bool last = true; whole > 0; last = false) {
        size_t part = whole > BLOCK ? BLOCK : (size_t)whole;
        if (pread(fd, block, part, whole - (off_t)part) != (ssize_t)part)
            return false;
        if (last && block[part - 1] == '}')
            return write(fd, "\n", 1) == 1;
        const char *newline = memrchr(block, '\n', part);
        if (newline) {
            whole -= (off_t)(part - (size_t)(newline + 1 - block));
            break;
        }
        whole -= (off_t)part;
    }
    return whole == size || ftruncate(fd, whole) == 0;
}

static struct bilanx_error open_plain(const char *path, const struct output_kind *kind,
                                      enum output_mode mode, int *out)
{
    AUTO(fd) int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return cannot_write(path);
    BILANX_TRY(lock(fd, path));
    BILANX_TRY(check_content(fd, path, kind, mode));
    bool ready = mode == OUTPUT_APPEND ? end_at_whole_line(fd) : ftruncate(fd, 0) == 0;
    if (!ready)
        return cannot_write(path);
    *out = fd;
    fd = -1;
    return BILANX_SUCCESS;
}

struct bilanx_error output_open(const char *path, const struct output_kind *kind,
                                enum output_mode mode, FILE **out)
{
    AUTO(fd) int fd = -1;
    if (is_plain(path) || access(path, F_OK) != 0)
        BILANX_TRY(open_plain(path, kind, mode, &fd));
    else
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "a");
    if (!file)
        return cannot_write(path);
    fd = -1;
    *out = file;
    return BILANX_SUCCESS;
}

struct bilanx_error output_write(const char *path, const struct output_kind *kind,
                                 const char *bytes, size_t size)
{
    FILE *file;
    BILANX_TRY(output_open(path, kind, OUTPUT_REPLACE, &file));
    bool written = fwrite(bytes, 1, size, file) == size;
    int reason = errno;
    if (fclose(file) == 0 && written)
        return BILANX_SUCCESS;
    errno = written ? errno : reason;
    return cannot_write(path);
}

struct bilanx_error output_rewrite(const char *path, const char *bytes, size_t size, FILE **file)
{
    AUTO(memory) char *real = realpath(path, NULL);  // if it is a link, replace its target
    AUTO(memory) char *aside = real ? mem_format("%s.XXXXXX", real) : NULL;
    AUTO(fd) int fd = aside ? mkostemp(aside, O_APPEND | O_CLOEXEC) : -1;
    struct stat facts;
    if (fd < 0)
        return cannot_write(path);
    bool written = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    written = written && fstat(fileno(*file), &facts) == 0 && fchmod(fd, facts.st_mode) == 0;
    written = written && write(fd, bytes, size) == (ssize_t)size && rename(aside, real) == 0;
    FILE *fresh = written ? fdopen(fd, "a") : NULL;
    if (!fresh) {
        struct bilanx_error error = cannot_write(path);
        unlink(aside);
        return error;
    }
    fd = -1;
    fclose(*file);
    *file = fresh;
    return BILANX_SUCCESS;
}

bool output_is_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

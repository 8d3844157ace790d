// output: files that results are written to.
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extent.h"
#include "file.h"
#include "file_lock.h"
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

// A new file needs a folder that it can be created in.
static struct bilanx_error check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    AUTO(memory) char *folder =
        slash ? mem_text_n(path, (size_t)(slash - path) + 1) : mem_text(".");
    bool writable = access(path, F_OK) == 0 || access(folder, W_OK | X_OK) == 0;
    return writable || strcmp(path, "-") == 0 ? BILANX_SUCCESS : cannot_write(path);
}

struct bilanx_error output_check(const char *path, const struct output_kind *kind,
                                 enum output_mode mode)
{
    if (!is_plain(path))
        return check_folder(path);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM,
                                 "cannot read '%s' to check what would be overwritten: %s", path,
                                 strerror(errno));
    return check_content(fd, path, kind, mode);
}

// Finds where the last line starts that has no newline: at the end if there is none.
static bool find_last_line(int fd, off_t *out)
{
    enum { BLOCK = 4096 };
    char block[BLOCK];
    for (off_t at = lseek(fd, 0, SEEK_END); at > 0;) {
        size_t part = at > BLOCK ? BLOCK : (size_t)at;
        if (pread(fd, block, part, at - (off_t)part) != (ssize_t)part)
            return false;
        const char *newline = memrchr(block, '\n', part);
        if (newline) {
            *out = at - (off_t)part + (newline + 1 - block);
            return true;
        }
        at -= (off_t)part;
    }
    *out = 0;
    return true;
}

// Removes a last line that is only the beginning of an object; any other gets its newline.
static bool end_at_whole_line(int fd)
{
    off_t start, size = lseek(fd, 0, SEEK_END);
    if (size < 0 || !find_last_line(fd, &start))
        return false;
    size_t left = (size_t)(size - start);
    if (left == 0)
        return true;
    AUTO(memory) char *line = left <= FILE_LARGEST ? mem_array(char, left) : NULL;
    if (!line || pread(fd, line, left, start) != (ssize_t)left)
        return false;
    return extent_is_cut(line, left) ? ftruncate(fd, start) == 0 : write(fd, "\n", 1) == 1;
}

// Opens and locks a file. The previous owner of the lock may have replaced the file meanwhile.
static struct bilanx_error open_locked(const char *path, int flags, int *out)
{
    enum { TRIES = 10 };
    AUTO(memory) char *cannot = mem_format("cannot write '%s'", path);
    for (int i = 0; i < TRIES; i++) {
        AUTO(fd) int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | flags, 0666);
        if (fd < 0)
            return cannot_write(path);
        BILANX_TRY(file_lock(fd, cannot, "is writing to it"));
        if (!file_lock_is_at(fd, path))
            continue;
        *out = fd;
        fd = -1;
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_SYSTEM, "%s: it is replaced all the time", cannot);
}

static struct bilanx_error open_plain(const char *path, const struct output_kind *kind,
                                      enum output_mode mode, int *out)
{
    AUTO(fd) int fd = -1;
    BILANX_TRY(open_locked(path, O_CREAT, &fd));
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

struct bilanx_error output_replace(const char *path, const struct output_kind *kind,
                                   enum output_mode mode, struct draft *out)
{
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(draft_open(path, &draft));
    if (draft.aside && access(draft.target, F_OK) == 0) {
        AUTO(fd) int fd = -1;
        BILANX_TRY(open_locked(path, 0, &fd));
        BILANX_TRY(check_content(fd, path, kind, mode));
        if (!(draft.held = fdopen(fd, "r")))
            return cannot_write(path);
        fd = -1;
    } else {
        draft.fresh = draft.aside && mode == OUTPUT_NEW;
    }
    *out = draft;
    draft = (struct draft){0};
    return BILANX_SUCCESS;
}

struct bilanx_error output_write(const char *path, const struct output_kind *kind,
                                 const char *bytes, size_t size)
{
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_replace(path, kind, OUTPUT_REPLACE, &draft));
    fwrite(bytes, 1, size, draft.file);
    return draft_commit(&draft);
}

struct bilanx_error output_draft(const char *path, struct draft *out)
{
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(draft_open(path, &draft));
    BILANX_TRY(file_lock(fileno(draft.file), path, "is writing to it"));
    *out = draft;
    draft = (struct draft){0};
    return BILANX_SUCCESS;
}

struct bilanx_error output_swap(struct draft *draft, FILE **file)
{
    BILANX_TRY(draft_place(draft));
    fclose(*file);
    *file = TAKE(draft->file);
    return BILANX_SUCCESS;
}

struct bilanx_error output_rewrite(const char *path, const char *bytes, size_t size, FILE **file)
{
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_draft(path, &draft));
    fwrite(bytes, 1, size, draft.file);
    return output_swap(&draft, file);
}

bool output_is_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

void output_uses_done(struct output_uses *uses)
{
    free(uses->items);
    *uses = (struct output_uses){0};
}

void output_uses_add(struct output_uses *uses, const char *path, const char *writes, const char *as,
                     ...)
{
    if (!path || !*path || strcmp(path, "-") == 0)
        return;
    mem_grow(uses->items, uses->count, &uses->room);
    struct output_use *use = &uses->items[uses->count++];
    *use = (struct output_use){path, writes, ""};
    va_list arguments;
    va_start(arguments, as);
    vsnprintf(use->as, sizeof use->as, as, arguments);
    va_end(arguments);
}

// Whether two paths would name the same file, although it does not exist yet.
static bool will_be_same(const char *path, const char *other)
{
    AUTO(memory) char *one = draft_target(path);
    AUTO(memory) char *two = draft_target(other);
    return strcmp(one, two) == 0;
}

static bool is_in_conflict(const struct output_use *one, const struct output_use *two)
{
    if (!one->writes && !two->writes)
        return false;
    if (one->writes && two->writes && strcmp(one->writes, two->writes) == 0)
        return false;
    if (access(one->path, F_OK) != 0 && access(two->path, F_OK) != 0)
        return one->writes && two->writes && will_be_same(one->path, two->path);
    return is_plain(one->path) && output_is_same(one->path, two->path);
}

static struct bilanx_error refuse(const struct output_use *one, const struct output_use *two)
{
    const struct output_use *written = one->writes ? one : two, *other = one->writes ? two : one;
    if (other->writes)
        return bilanx_error_make(BILANX_E_USAGE, "%s and %s name the same file, '%s'", one->as,
                                 two->as, one->path);
    return bilanx_error_make(BILANX_E_USAGE, "'%s' is %s: choose another output file",
                             written->path, other->as);
}

struct bilanx_error output_uses_check(const struct output_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        for (size_t k = i + 1; k < uses->count; k++)
            if (is_in_conflict(&uses->items[i], &uses->items[k]))
                return refuse(&uses->items[i], &uses->items[k]);
    return BILANX_SUCCESS;
}

// draft: a file that replaces another as a whole, or not at all.
#include "draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

static struct bilanx_error cannot_write(const struct draft *draft)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", draft->name,
                             strerror(errno));
}

// The mode of the file to be replaced, or the one that open() would give a new file.
static mode_t mode_of(const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0)
        return there.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    AUTO(memory) char *folder = slash == path ? mem_text("/")
                                : slash       ? mem_text_n(path, (size_t)(slash - path))
                                              : mem_text(".");
    AUTO(memory) char *real = realpath(folder, NULL);
    return mem_format("%s/%s", real ? real : folder, name);
}

char *draft_target(const char *path)
{
    AUTO(memory) char *real = realpath(path, NULL);
    if (real)
        return TAKE(real);
    char to[4096];
    ssize_t size = readlink(path, to, sizeof to - 1);
    if (size > 0) {  // to a file that is yet to come
        to[size] = '\0';
        return *to == '/' ? mem_text(to) : beside(path, to);
    }
    const char *slash = strrchr(path, '/');
    return beside(path, slash ? slash + 1 : path);
}

// One of our descriptors has no folder to write a draft in.
static bool is_replaceable(const char *path)
{
    struct stat there;
    if (file_names_descriptor(path) || text_equal(path, "/dev/stdout") ||
        text_equal(path, "/dev/stderr"))
        return false;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
}

static struct bilanx_error open_beside(const char *path, struct draft *draft)
{
    draft->target = draft_target(path);
    AUTO(memory) char *aside = mem_format("%s.XXXXXX", draft->target);
    AUTO(fd) int fd = mkostemp(aside, O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return cannot_write(draft);
    draft->aside = TAKE(aside);
    if (fchmod(fd, mode_of(draft->target)) != 0 || !(draft->file = fdopen(fd, "a")))
        return cannot_write(draft);
    fd = -1;
    return BILANX_SUCCESS;
}

struct bilanx_error draft_open(const char *path, struct draft *out)
{
    bool standard = strcmp(path, "-") == 0;
    AUTO(draft) struct draft draft = {.name = mem_text(standard ? "stdout" : path)};
    if (standard)
        draft.file = stdout;
    else if (is_replaceable(path))
        BILANX_TRY(open_beside(path, &draft));
    else if (!(draft.file = fopen(path, "we")))
        return cannot_write(&draft);
    *out = draft;
    draft = (struct draft){0};
    return BILANX_SUCCESS;
}

// A second name never replaces a file that has appeared since. Some file systems have none.
static bool move(const struct draft *draft)
{
    if (draft->fresh && link(draft->aside, draft->target) == 0)
        return unlink(draft->aside) == 0;
    if (draft->fresh && errno == EEXIST)
        return false;
    return rename(draft->aside, draft->target) == 0;
}

static struct bilanx_error put(struct draft *draft, bool written, int reason)
{
    if (!written && reason)
        errno = reason;
    if (!written || (draft->aside && !move(draft)))
        return cannot_write(draft);
    free(TAKE(draft->aside));
    return BILANX_SUCCESS;
}

struct bilanx_error draft_place(struct draft *draft)
{
    bool failed = ferror(draft->file);
    int reason = failed ? errno : 0;  // of the last write, unless the caller did more since
    bool flushed = fflush(draft->file) == 0;
    return put(draft, flushed && !failed, reason);
}

// Some file systems report a full disk only when a file is closed, so that comes first.
struct bilanx_error draft_commit(struct draft *draft)
{
    if (draft->file == stdout)
        return draft_place(draft);
    FILE *file = TAKE(draft->file);
    bool failed = ferror(file);
    int reason = failed ? errno : 0;
    bool closed = fclose(file) == 0;
    return put(draft, closed && !failed, reason);
}

void draft_done(struct draft *draft)
{
    if (draft->file && draft->file != stdout)
        fclose(draft->file);
    if (draft->aside)
        unlink(draft->aside);
    if (draft->held)
        fclose(draft->held);
    free(draft->aside);
    free(draft->target);
    free(draft->name);
    *draft = (struct draft){0};
}

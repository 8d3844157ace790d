// file: whole small files, and where things are.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"

struct bilanx_error file_read(const char *path, struct text *out)
{
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    return file_read_fd(fd, path, out);
}

struct bilanx_error file_read_fd(int fd, const char *path, struct text *out)
{
    char chunk[1 << 14];
    for (;;) {
        ssize_t size = read(fd, chunk, sizeof chunk);
        if (size == 0)
            return BILANX_SUCCESS;
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", path,
                                     strerror(errno));
        text_add_n(out, chunk, (size_t)size);
    }
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

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *file_find_program(const char *name)
{
    if (strchr(name, '/'))
        return is_program(name) ? mem_text(name) : NULL;
    const char *at = getenv("PATH");
    while (at && *(at += strspn(at, ":"))) {
        size_t size = strcspn(at, ":");
        char *path = mem_format("%.*s/%s", (int)size, at, name);
        if (is_program(path))
            return path;
        free(path);
        at += size;
    }
    return NULL;
}

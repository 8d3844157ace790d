// lines: reads a file, line by line or whole; can look ahead at how it begins.
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct lines {
    char *name;  // for messages: the path, or "stdin"
    int fd;
    char *buffer;
    size_t at, size, room;
    unsigned long number;  // number of the line last returned by lines_next()
    bool open_ended;       // that line is the last and has no newline
    bool ended;            // the file has no more after the buffer
    size_t taken, most;    // bytes read so far, and the limit; 0: no limit
    // Reads bytes from here instead of `fd`: up to `room` of them, none at the end.
    struct bilanx_error (*more)(void *source, char *to, size_t room, size_t *got);
    void *source;  // not owned
};

// Opens a file; "-" is stdin. A pipe is accepted only as a descriptor of this process: /dev/fd/63.
struct bilanx_error lines_open(const char *path, struct lines *out);
void lines_done(struct lines *lines);
SCOPE_VALUE(lines, lines_done)

// Returns up to `wanted` of the next bytes, as many as there are, without consuming them.
struct bilanx_error lines_peek(struct lines *lines, size_t wanted, const char **bytes,
                               size_t *size);

// Returns the next line without its newline; `*line` is NULL after the last. It is NUL-terminated,
// and valid until the next call. A line longer than LINES_LONGEST bytes is an error.
struct bilanx_error lines_next(struct lines *lines, char **line, size_t *size);

// Returns the rest of the file, NUL-terminated. More than LINES_LARGEST bytes is an error.
struct bilanx_error lines_rest(struct lines *lines, char **bytes, size_t *size);

#define LINES_LONGEST ((size_t)256 << 20)
#define LINES_LARGEST ((size_t)1 << 30)
#define LINES_MOST ((size_t)4 << 30)  // for a whole file

#endif

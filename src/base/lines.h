// lines: a file, line by line or whole, after a look at how it begins.
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
    unsigned long number;  // of the line that lines_next() gave last
    bool ended;            // nothing is left in the file behind the buffer
    size_t taken, most;    // bytes read so far, and at most; 0: any number
    // Where bytes come from instead of `fd`: up to `room` of them; none at the end.
    struct bilanx_error (*more)(void *source, char *to, size_t room, size_t *got);
    void *source;  // belongs to who set it
};

// Opens a file; "-" is stdin. A pipe is read where it is a descriptor of this process: /dev/fd/63.
struct bilanx_error lines_open(const char *path, struct lines *out);
void lines_done(struct lines *lines);
SCOPE_VALUE(lines, lines_done)

// What comes next, as much as is there of up to `wanted` bytes; nothing is consumed.
struct bilanx_error lines_peek(struct lines *lines, size_t wanted, const char **bytes,
                               size_t *size);

// The next line, without its end; `*line` is NULL behind the last. Followed by a NUL, and valid
// until the next call. A line of over LINES_LONGEST bytes is an error.
struct bilanx_error lines_next(struct lines *lines, char **line, size_t *size);

// All that is left, followed by a NUL; over LINES_LARGEST bytes is an error.
struct bilanx_error lines_rest(struct lines *lines, char **bytes, size_t *size);

#define LINES_LONGEST ((size_t)256 << 20)
#define LINES_LARGEST ((size_t)1 << 30)
#define LINES_MOST ((size_t)4 << 30)  // of a whole file

#endif

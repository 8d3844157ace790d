// lines: reads a file, line by line or whole.
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "text.h"

enum { PIECE = 1 << 16 };

static struct bilanx_error open_path(const char *path, int *fd)
{
    if (!file_names_descriptor(path))
        return file_open_to_read(path, fd, NULL);
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    return BILANX_SUCCESS;
}

struct bilanx_error lines_open(const char *path, struct lines *out)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = STDIN_FILENO;
    if (!standard)
        BILANX_TRY(open_path(path, &fd));
    enum { LONGEST_NAME = 200 };  // leaves room in a message for the line number and the problem
    struct text name = {0};
    text_add_shortened(&name, standard ? "stdin" : path, LONGEST_NAME);
    *out = (struct lines){.name = text_take(&name), .fd = fd, .most = LINES_MOST};
    return BILANX_SUCCESS;
}

void lines_done(struct lines *lines)
{
    if (lines->name && !lines->more && lines->fd != STDIN_FILENO)
        close(lines->fd);
    free(lines->name);
    free(lines->buffer);
    *lines = (struct lines){0};
}

static struct bilanx_error read_more(struct lines *lines, char *to, size_t room, size_t *got)
{
    if (lines->more)
        return lines->more(lines->source, to, room, got);
    ssize_t size;
    do
        size = read(lines->fd, to, room);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", lines->name,
                                 strerror(errno));
    *got = (size_t)size;
    return BILANX_SUCCESS;
}

// Reads another chunk into the buffer, after discarding what has been consumed.
static struct bilanx_error fill(struct lines *lines)
{
    if (lines->at > 0 && lines->at >= lines->size / 2) {
        memmove(lines->buffer, lines->buffer + lines->at, lines->size - lines->at);
        lines->size -= lines->at;
        lines->at = 0;
    }
    if (lines->size + PIECE + 1 > lines->room) {
        lines->room = 2 * lines->size + PIECE + 1;
        lines->buffer = mem_resized(lines->buffer, lines->room);
    }
    size_t got = 0;
    BILANX_TRY(read_more(lines, lines->buffer + lines->size, lines->room - lines->size - 1, &got));
    lines->taken += got;
    if (lines->most && lines->taken > lines->most)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: over %zu MB, too large for a file of measurements",
                                 lines->name, lines->most >> 20);
    lines->size += got;
    lines->buffer[lines->size] = '\0';
    lines->ended = got == 0;
    return BILANX_SUCCESS;
}

struct bilanx_error lines_peek(struct lines *lines, size_t wanted, const char **bytes, size_t *size)
{
    while (!lines->ended && lines->size - lines->at < wanted)
        BILANX_TRY(fill(lines));
    *bytes = lines->buffer + lines->at;
    *size = lines->size - lines->at < wanted ? lines->size - lines->at : wanted;
    return BILANX_SUCCESS;
}

struct bilanx_error lines_next(struct lines *lines, char **line, size_t *size)
{
    char *end = NULL;
    size_t looked = 0;  // bytes of this line already known to contain no newline
    lines->number++;
    for (;;) {
        size_t there = lines->size - lines->at;
        if (there > looked)
            end = memchr(lines->buffer + lines->at + looked, '\n', there - looked);
        if (end || lines->ended)
            break;
        looked = there;
        if (looked > LINES_LONGEST)
            return bilanx_error_make(BILANX_E_INPUT,
                                     "%s:%lu: line over %zu MB, too long for a record", lines->name,
                                     lines->number, LINES_LONGEST >> 20);
        BILANX_TRY(fill(lines));
    }
    *line = NULL;
    *size = 0;
    if (lines->at == lines->size)
        return BILANX_SUCCESS;
    *line = lines->buffer + lines->at;
    *size = end ? (size_t)(end - *line) : lines->size - lines->at;
    lines->at += *size + (end != NULL);
    lines->open_ended = !end;
    if (end)
        *end = '\0';
    return BILANX_SUCCESS;
}

struct bilanx_error lines_rest(struct lines *lines, char **bytes, size_t *size)
{
    while (!lines->ended) {
        if (lines->size - lines->at > LINES_LARGEST)
            return bilanx_error_make(BILANX_E_INPUT, "%s: over %zu MB in one document", lines->name,
                                     LINES_LARGEST >> 20);
        BILANX_TRY(fill(lines));
    }
    *bytes = lines->buffer + lines->at;
    *size = lines->size - lines->at;
    lines->at = lines->size;
    return BILANX_SUCCESS;
}

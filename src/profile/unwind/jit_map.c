// jit_map: names of functions that a process compiled itself.
#include "jit_map.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    LARGEST = 64 << 20,  // bytes
    MOST_FUNCTIONS = 1 << 20,
    LONGEST_NAME = 1000,
    MOST_OVERLAPPING = 64,  // functions looked at for one address
    MOST_READS = 16,        // of one file, while it grows
};

void jit_map_done(struct jit_map *map)
{
    text_done(&map->text);
    free(map->items);
    *map = (struct jit_map){0};
}

// A link could lead anywhere, a FIFO could block, and another user's file could say anything.
static int open_trusted(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode) &&
        status->st_uid == geteuid() && status->st_size <= LARGEST)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int by_start(const void *a, const void *b)
{
    const struct jit_function *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->name > right->name) - (left->name < right->name);  // by their place in the file
}

static bool read_hexadecimal(char **at, uint64_t *out)
{
    char *end;
    if (!isxdigit((unsigned char)**at))
        return false;
    *out = strtoull(*at, &end, 16);
    bool separated = *end == ' ';
    *at = separated ? end + 1 : end;
    return separated;
}

static void read_line(struct jit_map *map, char *line)
{
    uint64_t start, size;
    if (!read_hexadecimal(&line, &start) || !read_hexadecimal(&line, &size) || size == 0 ||
        start + size < start || !*line || map->count == MOST_FUNCTIONS)
        return;
    if (strlen(line) > LONGEST_NAME)
        line[LONGEST_NAME] = '\0';
    mem_grow(map->items, map->count, &map->room);
    map->items[map->count++] = (struct jit_function){start, size, line};
}

static void read_lines(struct jit_map *map)
{
    char *rest = NULL;
    for (char *nul = map->text.data;
         (nul = memchr(nul, '\0', map->text.size - (size_t)(nul - map->text.data)));)
        *nul = '?';
    for (char *line = strtok_r(map->text.data, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest))
        read_line(map, line);
    if (map->count)
        qsort(map->items, map->count, sizeof *map->items, by_start);
}

void jit_map_read(struct jit_map *map, const char *path)
{
    struct stat status;
    AUTO(fd) int fd = open_trusted(path, &status);
    unsigned reads = map->reads;
    if (fd < 0 || (size_t)status.st_size == map->file_bytes || reads == MOST_READS)
        return;
    jit_map_done(map);
    map->reads = reads + 1;
    map->file_bytes = (size_t)status.st_size;
    if (file_read_fd(fd, path, &map->text).status == BILANX_OK && map->text.size)
        read_lines(map);
}

const char *jit_map_find(const struct jit_map *map, uint64_t address)
{
    size_t low = 0, high = map->count;
    const char *latest = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t tries = 0; low-- > 0 && tries < MOST_OVERLAPPING; tries++) {
        const struct jit_function *function = &map->items[low];
        if (address - function->start < function->size && (!latest || function->name > latest))
            latest = function->name;
    }
    return latest;
}

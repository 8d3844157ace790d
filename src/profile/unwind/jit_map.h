// jit_map: names of functions that a process compiled itself, from the file that it writes for
// perf.
//
// Such a file, /tmp/perf-PID.map, has a line per function: "7f3a10002000 1c0 name", where it starts
// and its size in hexadecimal. Anybody can create files in /tmp, so only one that belongs to this
// user is read, up to a limit, and nothing in it is trusted.
#ifndef UNWIND_JIT_MAP_H
#define UNWIND_JIT_MAP_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"

struct jit_map {  // all zero: nothing read so far
    struct text text;
    struct jit_function {
        uint64_t start, size;
        const char *name;
    } *items;  // by their starts; of equal ones the latest is last
    size_t count, room;
    size_t file_bytes;  // size of the file when it was read
    unsigned reads;     // how often it was read; there is a limit
};
void jit_map_done(struct jit_map *map);

// Reads a file, unless it has not grown since the last time. Leaves the map as it is if there is
// none that can be trusted.
void jit_map_read(struct jit_map *map, const char *path);

// The function at an address: the latest that contains it, since compilers reuse their memory.
// NULL: none.
const char *jit_map_find(const struct jit_map *map, uint64_t address);

#endif

// merge_runs: lines with their positions, sorted in memory or in temporary files.
#ifndef MERGING_MERGE_RUNS_H
#define MERGING_MERGE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hash.h"
#include "bilanx/error.h"

struct run_entry {
    uint64_t place;   // UINT64_MAX: unknown
    uint64_t number;  // order of arrival
    struct hash what;
    uint32_t file;
    uint32_t size;  // of the line, without its newline
    bool poor;      // failed or cut short
    bool replicated;
};

struct runs {
    char *arena;  // the lines in memory, one after the other
    size_t used, budget, room;
    struct run_entry *entries;
    size_t *offsets;  // of their lines
    size_t count, entry_room, offset_room;
    FILE **files;  // sorted runs
    size_t file_count, file_room;
};
void runs_done(struct runs *runs);

struct bilanx_error runs_add(struct runs *runs, const struct run_entry *entry, const char *line);

// Calls `take` with every line, sorted by place and then by arrival. The line is valid during the
// call. Empties the runs.
struct runs_sink {
    struct bilanx_error (*take)(void *context, const struct run_entry *entry, const char *line);
    void *context;
};
struct bilanx_error runs_each(struct runs *runs, const struct runs_sink *sink);

#endif

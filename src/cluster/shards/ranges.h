// ranges: sets of numbers as text: "1-20,25,30-40:2".
//
// This is how Slurm writes the tasks of a job array, and how we write the positions of cases.
#ifndef SHARDS_RANGES_H
#define SHARDS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "bilanx/error.h"

struct ranges {
    struct range {
        uint64_t from, to, step;  // inclusive
    } *items;
    size_t count, room;
};
void ranges_done(struct ranges *ranges);
SCOPE_VALUE(ranges, ranges_done)

// Parses all of `text`. Numbers end before RANGES_END.
struct bilanx_error ranges_parse(const char *text, struct ranges *out);
#define RANGES_END ((uint64_t)1 << 40)

bool ranges_have(const struct ranges *ranges, uint64_t number);
uint64_t ranges_size(const struct ranges *ranges);  // of all its numbers, repeated ones included

// Adds sorted numbers as text, runs of them shortened.
void ranges_print(const uint64_t *numbers, size_t count, struct text *out);

#endif

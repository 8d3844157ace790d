// record_line: extracts what merging needs from the line of a record, without parsing all of it.
//
// A line of 10 kB is mostly times. Skipping over them is ten times as fast as parsing them with
// jansson (bench/cluster), which matters when thousands of machines have written records.
#ifndef MERGING_RECORD_LINE_H
#define MERGING_RECORD_LINE_H

#include <stdbool.h>

#include "base/hash.h"
#include "bilanx/error.h"

struct record_line {
    uint64_t place;   // of its case, from 1; 0: unknown
    uint64_t sample;  // of a log of operators, from 1: all its backends are one case; 0: none
    struct hash
        what;         // equal for two results of the same case: task, side, sort of record, replica
    bool replicated;  // measured on several machines at once
    bool failed;      // the case failed
    bool skipped;     // it was not run
    bool cut_short;   // its measurement was interrupted
    char node[64];    // machine that measured it; "": unknown
    char kind[128];   // of that machine: its processor; "": unknown
};

// Reads a line without its newline. Fails if the line is not one complete JSON object, or not a
// record; error texts start with `where`.
struct bilanx_error record_line_read(const char *line, size_t size, const char *where,
                                     struct record_line *out);

#endif

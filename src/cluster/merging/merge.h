// merge: joins the records of shards in the order in which their cases are defined.
//
//     AUTO(merge) struct merge *merge = merge_new(64 << 20);
//     for each file:
//         BILANX_TRY(merge_add_file(merge, path, &tell));
//     BILANX_TRY(merge_write(merge, fd, &result));
//
// Records of the same case in two files are duplicates, for example from a shard that was run
// twice: the first file with a complete result wins over failures. Records of the same case in one
// file are repeats, and all are kept. Records without a position keep their order, at the end.
//
// Memory stays within a budget, however many records there are: whenever it is used up, the records
// in memory are sorted and moved to a temporary file, and these files are merged at the end.
#ifndef MERGING_MERGE_H
#define MERGING_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"
#include "base/tell.h"
#include "base/text.h"
#include "bilanx/error.h"

struct merge;
enum { MERGE_BUDGET = 32 << 20 };

// Records up to `budget` bytes are held in memory.
struct merge *merge_new(size_t budget);
void merge_free(struct merge *merge);
SCOPE_POINTER(merge, merge_free)

// Adds a file of records; "-" is stdin. An incomplete last line, from a process that was killed, is
// dropped and reported; any other line that is not a record is an error.
struct bilanx_error merge_add_file(struct merge *merge, const char *path, const struct tell *tell);

struct merge_result {
    uint64_t records, duplicates;  // written; dropped
    uint64_t cases;                // with a known position
    uint64_t strangers;            // positions with different cases in different files
    struct text missing;           // positions below the last one without a record: "3,7-9"
};
void merge_result_done(struct merge_result *result);
SCOPE_VALUE(merge_result, merge_result_done)

// Writes everything added so far; call it once, at the end. `name` is for messages.
struct bilanx_error merge_write(struct merge *merge, int fd, const char *name,
                                struct merge_result *out);

#endif

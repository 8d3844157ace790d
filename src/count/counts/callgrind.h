// callgrind: reads callgrind's own output format (valgrind's manual, "Callgrind Format
// Specification"), which is cachegrind's too.
#ifndef COUNTS_CALLGRIND_H
#define COUNTS_CALLGRIND_H

#include "base/lines.h"
#include "bilanx/record.h"
#include "profile.h"

// Reads a whole file. A part whose costs do not add up to its own 'totals:' or 'summary:' is an
// error, and so is a file without a part.
struct bilanx_error callgrind_read(struct lines *lines, struct profile *out);

// Reads a file of callgrind's: one bilanx_counts per part (a dump), with `counter`, `instructions`,
// `functions` and `events` filled; `number` and what follows from it are left to the caller, who
// ends each with counts_done() or bilanx_record_done(), and frees the array.
struct bilanx_error counts_read_callgrind(const char *path, struct bilanx_counts **parts,
                                          size_t *count);

void counts_done(struct bilanx_counts *counts);

// One part as counts. Fails when it does not count instructions ("Ir").
struct bilanx_error counts_of_part(const struct profile_part *part, const char *where,
                                   struct bilanx_counts *out);

#endif

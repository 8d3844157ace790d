// callgrind: reads callgrind's output format (valgrind's manual, "Callgrind Format Specification"),
// which cachegrind uses too.
#ifndef COUNTS_CALLGRIND_H
#define COUNTS_CALLGRIND_H

#include "base/lines.h"
#include "bilanx/record.h"
#include "profile.h"

// Reads a whole file. It is an error if the costs of a part do not add up to its 'totals:' or
// 'summary:', or if the file has no part.
struct bilanx_error callgrind_read(struct lines *lines, struct profile *out);

// The same, and keeps the calls between functions.
struct bilanx_error callgrind_read_calls(struct lines *lines, struct profile *out);

// Reads a callgrind file into one bilanx_counts per part (a dump), with `counter`, `instructions`,
// `functions` and `events` set; the caller sets `number` and fields derived from it. The caller
// releases each with counts_done() or bilanx_record_done(), and frees the array.
struct bilanx_error counts_read_callgrind(const char *path, struct bilanx_counts **parts,
                                          size_t *count);

void counts_done(struct bilanx_counts *counts);

// Converts one part to counts. Fails if it does not count instructions ("Ir").
struct bilanx_error counts_of_part(const struct profile_part *part, const char *where,
                                   struct bilanx_counts *out);

#endif

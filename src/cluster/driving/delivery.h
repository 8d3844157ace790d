// delivery: puts a run's records into its output, each once, even if others add to the file.
//
//     delivery_know(&delivery, line, size);           // each record of the run, as it is read
//     BILANX_TRY(delivery_begin(&delivery, ready, &begun));
//     BILANX_TRY(delivery_add(&delivery, ...));       // in order, as often as needed
//     BILANX_TRY(delivery_settle(&delivery));
//
// If the file already has records of this run, from a process that was killed or that collected
// only some of them, it is replaced by a file with the lines of other runs, followed by ours.
// Otherwise ours are appended. Lines of other runs are never truncated.
#ifndef DRIVING_DELIVERY_H
#define DRIVING_DELIVERY_H

#include <stdbool.h>

#include "base/draft.h"
#include "base/index.h"

struct delivery {  // all zero: no output
    const char *path;
    FILE **out;
    bool plain;      // a regular file: not stdout, nor a pipe
    bool only_ours;  // drop the lines of other runs
    bool looked;     // for ours in the file
    size_t ours;     // number of them in the file
    bool begun;
    struct index known;  // lines of this run
    struct draft draft;  // of the new file; without a file: append
};
void delivery_done(struct delivery *delivery);

// `path` and `*out`, which is open on it and locked, must outlive the delivery.
void delivery_start(struct delivery *delivery, const char *path, FILE **out, bool only_ours);

void delivery_know(struct delivery *delivery, const char *line, size_t size);

// Looks for records of this run in the file, unless it already has. `ready` is the number that can
// be added now; if the file has more, `*begun` is false, and they stay there for now.
struct bilanx_error delivery_begin(struct delivery *delivery, size_t ready, bool *begun);

// Adds whole lines. After an error, the file is as it was.
struct bilanx_error delivery_add(struct delivery *delivery, const char *bytes, size_t size);

// Makes sure that everything added is in the file.
struct bilanx_error delivery_settle(struct delivery *delivery);

// After an error, or when records were dropped: returns true if all must be added again, from the
// beginning.
bool delivery_give_up(struct delivery *delivery);
bool delivery_restart(struct delivery *delivery);

#endif

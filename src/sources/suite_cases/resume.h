// resume: which cases a file of records already has.
#ifndef SCHEDULE_RESUME_H
#define SCHEDULE_RESUME_H

#include "base/text.h"
#include "core/run/run.h"

// Contents of a file of records, as far as a run of these cases needs them.
struct resumed {
    struct bilanx_record *records;  // one per case; kind NULL: none
    struct text kept;  // all lines of the file except those of cases to be measured again
    bool any_dropped;  // `kept` is shorter than the file
};
void resumed_done(struct resumed *resumed);  // leaves the records to the caller

// A missing file counts as empty. Cases that failed, were skipped or interrupted are measured
// again; an incomplete last line is ignored.
struct bilanx_error resume_read(const char *path, const struct run_cases *cases,
                                struct resumed *out);

#endif

// resume: what a file of records has already.
#ifndef SCHEDULE_RESUME_H
#define SCHEDULE_RESUME_H

#include "base/text.h"
#include "core/run/run.h"

// What a file of records has, as far as a run of these cases needs to know.
struct resumed {
    struct bilanx_record *records;  // of each case; its kind is NULL where there is none
    struct text kept;  // all lines of the file but those of cases that are measured again
    bool any_dropped;  // `kept` is less than the file
};
void resumed_done(struct resumed *resumed);  // the records belong to who took them

// A file that is not there has nothing. What failed, was skipped or interrupted is measured again;
// a last line that is cut short does not count.
struct bilanx_error resume_read(const char *path, const struct run_cases *cases,
                                struct resumed *out);

#endif

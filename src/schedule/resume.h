// resume: what a file of records has already.
#ifndef SCHEDULE_RESUME_H
#define SCHEDULE_RESUME_H

#include "run/run.h"

// Reads the records of a file, which need not be there, and puts that of each case, as JSON, at its
// place in `records`; failures do not count. A last line that is cut short is removed from the
// file, so that it can be added to.
struct bilanx_error resume_read(const char *path, const struct run_cases *cases, char **records);

#endif

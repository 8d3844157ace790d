// sink: writes the records of a run, one per line, as they complete.
#ifndef SHOW_SINK_H
#define SHOW_SINK_H

#include "base/output.h"
#include "core/record/records.h"

struct sink {  // all zero: discards records
    FILE *file;
    const char *name;
    bool failed;
};

// `path` may be NULL, to discard records, or "-" for stdout.
struct bilanx_error sink_open(struct sink *sink, const char *path, enum output_mode mode);
void sink_done(struct sink *sink);
SCOPE_VALUE(sink, sink_done)

// Returns an error for the first failure only, so that the run continues. Removes a record that
// could not be written completely.
struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record);

#endif

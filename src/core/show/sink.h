// sink: writes the records of a run, one per line, as they complete.
#ifndef SHOW_SINK_H
#define SHOW_SINK_H

#include "base/output.h"
#include "core/record/records.h"

struct show_settings;

struct sink {  // all zero: discards records
    FILE *file;
    const char *name;
    bool failed;
    char *git, *facts;  // for records that have none
    const char *env;
};

// Writes to the file in the settings, if there is one. Records get the state of the repository in
// the current directory, the facts and the environment that the settings name.
struct bilanx_error sink_open(struct sink *sink, const struct show_settings *settings);
void sink_done(struct sink *sink);
SCOPE_VALUE(sink, sink_done)

// Returns an error for the first failure only, so that the run continues. Removes a record that
// could not be written completely.
struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record);

#endif

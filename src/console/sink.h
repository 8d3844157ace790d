// sink: where the records of a run are written, one a line, as they are complete.
#ifndef CONSOLE_SINK_H
#define CONSOLE_SINK_H

#include "record/records.h"

struct sink {  // of zeroes: nowhere
    FILE *file;
    const char *name;
    bool failed;
};

// NULL: nowhere; "-": stdout. Appending keeps what is in a file.
struct bilanx_error sink_open(struct sink *sink, const char *path, bool append);
void sink_done(struct sink *sink);
SCOPE_VALUE(sink, sink_done)

// An error is told once; what could not be written stays written nowhere.
struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record);

#endif

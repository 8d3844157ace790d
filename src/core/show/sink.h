// sink: where the records of a run are written, one a line, as they are complete.
#ifndef CONSOLE_SINK_H
#define CONSOLE_SINK_H

#include "base/output.h"
#include "core/record/records.h"

struct sink {  // of zeroes: nowhere
    FILE *file;
    const char *name;
    bool failed;
};

// NULL: nowhere; "-": stdout.
struct bilanx_error sink_open(struct sink *sink, const char *path, enum output_mode mode);
void sink_done(struct sink *sink);
SCOPE_VALUE(sink, sink_done)

// Says once what is wrong; the run continues. A record that was cut short is removed again.
struct bilanx_error sink_write(struct sink *sink, const struct bilanx_record *record);

#endif

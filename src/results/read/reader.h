// reader: reads records from JSON, one at a time.
#ifndef READER_READER_H
#define READER_READER_H

#include "base/lines.h"
#include "base/tell.h"
#include "core/record/records.h"

// Receives each record. It zeroes what it moves out; the rest is released afterwards.
struct reader_sink {
    struct bilanx_error (*take)(void *context, struct bilanx_record *record);
    void *context;
    bool cut_short;           // leave out a last line that is only the beginning of a record
    bool salvage;             // leave out damaged records, wherever they are
    const struct tell *tell;  // reports the lines left out; may be NULL
};

// Reads records, one per line, up to the first invalid one.
struct bilanx_error reader_each(struct lines *lines, const struct reader_sink *sink);

// Sets whether the last line of a file is incomplete: for callers that cannot report it, or that
// append to the file, which removes that line.
void reader_tell_cut(const char *path, const struct tell *tell);

#endif

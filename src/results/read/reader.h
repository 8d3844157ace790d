// reader: reads records from JSON, one at a time.
#ifndef READER_READER_H
#define READER_READER_H

#include "base/lines.h"
#include "core/record/records.h"

// Receives each record. It zeroes what it moves out; the rest is released afterwards.
struct reader_sink {
    struct bilanx_error (*take)(void *context, struct bilanx_record *record);
    void *context;
    bool cut_short;  // accept a truncated last line
};

// Reads records, one per line, up to the first invalid one.
struct bilanx_error reader_each(struct lines *lines, const struct reader_sink *sink);

#endif

// reader: records from JSON, one at a time, however many there are.
#ifndef READER_READER_H
#define READER_READER_H

#include "base/lines.h"
#include "core/record/records.h"

// Gets each record; what it moves out of one it zeroes, the rest is ended behind it.
struct reader_sink {
    struct bilanx_error (*take)(void *context, struct bilanx_record *record);
    void *context;
    bool cut_short;  // a last line that is no record is one that was not written to its end
};

// Reads records, one a line, up to the first that is none.
struct bilanx_error reader_each(struct lines *lines, const struct reader_sink *sink);

#endif

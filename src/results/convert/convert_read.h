// convert_read: like bilanx_convert_read(), but also reports the lines that were left out.
#ifndef CONVERT_CONVERT_READ_H
#define CONVERT_CONVERT_READ_H

#include "results/read/reader.h"

// With sink->salvage, a file whose beginning is damaged is taken for our own records.
struct bilanx_error convert_read(const char *path, const char *format,
                                 const struct reader_sink *sink);

#endif

// gzip: reads lines from a gzipped file, unpacking as it goes.
#ifndef CONVERT_GZIP_H
#define CONVERT_GZIP_H

#define ZLIB_CONST  // declares input as const
#include <zlib.h>

#include "base/lines.h"

struct gzip {
    struct lines *packed;
    z_stream stream;
    bool between;  // between members: none has begun, or the last has ended
    size_t unpacked;
};
void gzip_done(struct gzip *gzip);
SCOPE_VALUE(gzip, gzip_done)

bool gzip_recognises(const char *bytes, size_t size);

// Makes `out` the unpacked content of `packed`. `gzip` and `packed` must outlive it. More than
// LINES_LARGEST bytes are an error: a small file may unpack to any size.
struct bilanx_error gzip_open(struct lines *packed, struct gzip *gzip, struct lines *out);

#endif

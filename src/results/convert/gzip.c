// gzip: unpacks one struct lines into another with zlib.
#include "gzip.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"

void gzip_done(struct gzip *gzip)
{
    inflateEnd(&gzip->stream);
    *gzip = (struct gzip){0};
}

bool gzip_recognises(const char *bytes, size_t size)
{
    return size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static struct bilanx_error complain(const struct gzip *gzip, const char *cause)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s: cannot be unpacked: %s", gzip->packed->name,
                             cause ? cause : "not a complete gzip file");
}

// Gives zlib the buffer of `packed`, refilled if empty.
static struct bilanx_error give_packed(struct gzip *gzip)
{
    const char *bytes = NULL;
    size_t size = 0;
    BILANX_TRY(lines_peek(gzip->packed, 1, &bytes, &size));
    size = gzip->packed->size - gzip->packed->at;
    gzip->stream.next_in = (const Bytef *)bytes;
    gzip->stream.avail_in = size < UINT_MAX ? (uInt)size : UINT_MAX;
    return BILANX_SUCCESS;
}

// Unpacks one step. Members may follow one another.
static struct bilanx_error step(struct gzip *gzip, bool *ended)
{
    BILANX_TRY(give_packed(gzip));
    uInt given = gzip->stream.avail_in;
    *ended = given == 0 && gzip->between;
    if (*ended)
        return BILANX_SUCCESS;
    if (given == 0)
        return complain(gzip, "it is truncated");
    int result = inflate(&gzip->stream, Z_NO_FLUSH);
    gzip->packed->at += given - gzip->stream.avail_in;
    gzip->between = result == Z_STREAM_END;
    if (gzip->between)
        inflateReset(&gzip->stream);
    return result == Z_OK || gzip->between ? BILANX_SUCCESS : complain(gzip, gzip->stream.msg);
}

static struct bilanx_error unpack(void *context, char *to, size_t room, size_t *got)
{
    struct gzip *gzip = context;
    gzip->stream.next_out = (Bytef *)to;
    gzip->stream.avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    bool ended = false;
    while (!ended && gzip->stream.next_out == (Bytef *)to)
        BILANX_TRY(step(gzip, &ended));
    *got = (size_t)(gzip->stream.next_out - (Bytef *)to);
    gzip->unpacked += *got;
    if (gzip->unpacked > LINES_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: over %zu MB when unpacked: unpack it with 'gunzip' first",
                                 gzip->packed->name, LINES_LARGEST >> 20);
    return BILANX_SUCCESS;
}

struct bilanx_error gzip_open(struct lines *packed, struct gzip *gzip, struct lines *out)
{
    enum { GZIP_WINDOW = 15 + 16 };  // largest window, gzip format
    *gzip = (struct gzip){.packed = packed, .between = true};
    if (inflateInit2(&gzip->stream, GZIP_WINDOW) != Z_OK)
        return complain(gzip, gzip->stream.msg);
    *out = (struct lines){.name = mem_text(packed->name), .fd = -1, .more = unpack};
    out->source = gzip;
    return BILANX_SUCCESS;
}

// zlib: inflates a text.
#include <string.h>
#include <zlib.h>

#include "work.h"

static Bytef packed[1024], text[sizeof PROSE];
static uLongf packed_size = sizeof packed;
static z_stream stream;

static void inflate_once(void);

// Definitions, in any order.

static void inflate_once(void)
{
    inflateReset(&stream);
    stream.next_in = packed;
    stream.avail_in = (uInt)packed_size;
    stream.next_out = text;
    stream.avail_out = sizeof text;
    inflate(&stream, Z_FINISH);
}

void prepare(void)
{
    EXPECT(compress(packed, &packed_size, (const Bytef *)PROSE, sizeof PROSE) == Z_OK);
    EXPECT(inflateInit(&stream) == Z_OK);
    inflate_once();
    EXPECT(memcmp(text, PROSE, sizeof PROSE) == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        inflate_once();
}

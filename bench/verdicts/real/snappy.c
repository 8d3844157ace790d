// snappy: uncompresses a text.
#include <snappy-c.h>
#include <string.h>

#include "work.h"

static char packed[2048], text[sizeof PROSE];
static size_t packed_size = sizeof packed;

// Definitions, in any order.

void prepare(void)
{
    EXPECT(snappy_compress(PROSE, sizeof PROSE, packed, &packed_size) == SNAPPY_OK);
    work(1);
    EXPECT(memcmp(text, PROSE, sizeof PROSE) == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--) {
        size_t size = sizeof text;
        snappy_uncompress(packed, packed_size, text, &size);
    }
}

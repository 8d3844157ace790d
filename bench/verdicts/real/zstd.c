// zstd: decompresses a text.
#include <string.h>
#include <zstd.h>

#include "work.h"

static char packed[1024], text[sizeof PROSE];
static size_t packed_size;
static ZSTD_DCtx *context;

// Definitions, in any order.

void prepare(void)
{
    packed_size = ZSTD_compress(packed, sizeof packed, PROSE, sizeof PROSE, 3);
    context = ZSTD_createDCtx();
    EXPECT(context && !ZSTD_isError(packed_size));
    work(1);
    EXPECT(memcmp(text, PROSE, sizeof PROSE) == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        ZSTD_decompressDCtx(context, text, sizeof text, packed, packed_size);
}

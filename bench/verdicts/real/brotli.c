// brotli: decompresses a text.
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <string.h>

#include "work.h"

static uint8_t packed[1024], text[sizeof PROSE];
static size_t packed_size = sizeof packed;

// Definitions, in any order.

void prepare(void)
{
    EXPECT(BrotliEncoderCompress(5, 16, BROTLI_MODE_TEXT, sizeof PROSE, (const uint8_t *)PROSE,
                                 &packed_size, packed));
    work(1);
    EXPECT(memcmp(text, PROSE, sizeof PROSE) == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--) {
        size_t size = sizeof text;
        BrotliDecoderDecompress(packed_size, packed, &size, text);
    }
}

// deflate: libdeflate decompresses a text.
#include <libdeflate.h>
#include <string.h>

#include "work.h"

static char packed[1024], text[sizeof PROSE];
static size_t packed_size;
static struct libdeflate_decompressor *decompressor;

// Definitions, in any order.

void prepare(void)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    decompressor = libdeflate_alloc_decompressor();
    EXPECT(compressor && decompressor);
    packed_size =
        libdeflate_deflate_compress(compressor, PROSE, sizeof PROSE, packed, sizeof packed);
    libdeflate_free_compressor(compressor);
    work(1);
    EXPECT(memcmp(text, PROSE, sizeof PROSE) == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        libdeflate_deflate_decompress(decompressor, packed, packed_size, text, sizeof text, NULL);
}

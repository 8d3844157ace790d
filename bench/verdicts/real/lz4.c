// lz4: compresses a pattern with many repetitions.
#include <lz4.h>

#include "work.h"

enum { SIZE = 4096 };
static char pattern[SIZE], packed[LZ4_COMPRESSBOUND(SIZE)];

// Definitions, in any order.

void prepare(void)
{
    for (int i = 0; i < SIZE; i++)
        pattern[i] = (char)(i * i >> 5 & 63);
    int size = LZ4_compress_default(pattern, packed, SIZE, sizeof packed);
    EXPECT(size > 0 && size < SIZE);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        LZ4_compress_default(pattern, packed, SIZE, sizeof packed);
}

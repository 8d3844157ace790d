// xxhash: hashes a text with XXH3 and XXH64, from the header.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "work.h"

static char text[] = PROSE;

// Definitions, in any order.

void prepare(void)
{
    KEEP(text);  // the compiler must not know the hash
    EXPECT(XXH32("", 0, 0) == 0x02CC5D05);
}

void work(unsigned long times)
{
    for (; times > 0; times--) {
        KEEP(XXH3_64bits(text, sizeof text));
        KEEP(XXH64(text, sizeof text, 1));
    }
}

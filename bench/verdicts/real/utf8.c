// utf8: utf8proc decomposes a line with accents.
#include <utf8proc.h>

#include "work.h"

static const char line[] = "Gr\303\266\303\237e, na\303\257ve caf\303\251s, \303\205ngstr\303\266m";
static utf8proc_int32_t points[128];

static utf8proc_ssize_t decompose(void);

// Definitions, in any order.

static utf8proc_ssize_t decompose(void)
{
    return utf8proc_decompose((const utf8proc_uint8_t *)line, sizeof line - 1, points, 128,
                              (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE));
}

void prepare(void)
{
    EXPECT(decompose() == 33);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(decompose());
}

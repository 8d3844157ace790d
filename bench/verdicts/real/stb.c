// stb: formats text with stb_sprintf, from the header.
#define STB_SPRINTF_IMPLEMENTATION
#define STB_SPRINTF_STATIC
#include <stb/stb_sprintf.h>
#include <string.h>

#include "work.h"

static char text[64];
static int number = -1234;
static double real = 3.25;

// Definitions, in any order.

void prepare(void)
{
    KEEP(&number);  // the compiler must not know the printed values
    KEEP(&real);
    work(1);
    EXPECT(strcmp(text, "-1234 to 3.250, of it 0x00ff") == 0);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(
            stbsp_snprintf(text, sizeof text, "%d to %.3f, of %s 0x%04x", number, real, "it", 255));
}

// pcre2: searches for a date in a line, without the JIT.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "work.h"

static const char line[] = "host daemon[123]: restarted after 17 tries, on 2026-11-17 at noon";
static pcre2_code *pattern;
static pcre2_match_data *match;

static int look(void);

// Definitions, in any order.

static int look(void)
{
    return pcre2_match(pattern, (PCRE2_SPTR)line, sizeof line - 1, 0, 0, match, NULL);
}

void prepare(void)
{
    int error;
    PCRE2_SIZE place;
    pattern = pcre2_compile((PCRE2_SPTR) "(\\d{4})-(\\d\\d)-(\\d\\d)( at (noon|\\w+))?",
                            PCRE2_ZERO_TERMINATED, 0, &error, &place, NULL);
    EXPECT(pattern);
    match = pcre2_match_data_create_from_pattern(pattern, NULL);
    EXPECT(match && look() == 6);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        look();
}

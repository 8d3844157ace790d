// expectation: reads the ranges that `expect` gives.
#include "expectation.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "core/record/shape.h"

void expected_free(struct bilanx_expected *expected)
{
    if (expected)
        shape_done(&shape_expected, expected);
    free(expected);
}

const char *expectation_text(const struct bilanx_suite_expect *expect)
{
    return expect->time ? expect->time : expect->overhead;
}

// Reads one end of a range: "20ns", "-20ns", or nothing for no limit.
static bool read_end(const char *text, size_t size, double *out)
{
    while (size && *text == ' ')
        text++, size--;
    while (size && text[size - 1] == ' ')
        size--;
    *out = NAN;
    if (size == 0)
        return true;
    bool negative = *text == '-';
    AUTO(memory) char *number = mem_text_n(text + negative, size - negative);
    if (!number_read_seconds(number, out))
        return false;
    *out = negative ? -*out : *out;
    return true;
}

static bool read_range(const char *text, double *low, double *high)
{
    const char *dots = strstr(text, "..");
    return dots && read_end(text, (size_t)(dots - text), low) &&
           read_end(dots + 2, strlen(dots + 2), high) && !(isnan(*low) && isnan(*high)) &&
           !(*low > *high);
}

struct bilanx_error expected_make(const struct bilanx_suite_expect *expect,
                                  struct bilanx_expected **out)
{
    const char *range = expectation_text(expect);
    double low, high;
    if (!range)
        return BILANX_SUCCESS;
    if (!read_range(range, &low, &high))
        return bilanx_error_make(
            BILANX_E_INPUT, "'%.60s' is not a range of times such as 1us..4us or ..20ns", range);
    struct bilanx_expected *made = mem_new(struct bilanx_expected);
    made->says = mem_text(expect->says ? expect->says : range);
    made->of = mem_text(expect->time ? "time" : "overhead");
    made->low = low;
    made->high = high;
    *out = made;
    return BILANX_SUCCESS;
}

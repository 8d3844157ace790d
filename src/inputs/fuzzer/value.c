// value: a number that is an integer or real.
#include "value.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

struct value value_integer(int64_t integer)
{
    return (struct value){.integer = integer, .number = (double)integer};
}

struct value value_real(double number)
{
    return (struct value){.is_real = true, .number = number};
}

static bool read_integer(const char *text, struct value *out)
{
    bool negative = *text == '-';
    uint64_t count;
    if (!number_read_count(text + (negative || *text == '+'), &count) ||
        count > (uint64_t)INT64_MAX + negative)
        return false;
    *out = value_integer((int64_t)(negative ? -count : count));
    return true;
}

bool value_read(const char *text, struct value *out)
{
    if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0) {
        *out = value_integer(*text == 't' || *text == 'T');
        return true;
    }
    if (read_integer(text, out))
        return true;
    double number;
    if (!strpbrk(text, ".eE") || !number_read(text, &number))
        return false;
    *out = value_real(number);
    return true;
}

void value_add(struct text *out, struct value value)
{
    char digits[NUMBER_SIZE];
    if (!value.is_real) {
        text_format(out, "%" PRId64, value.integer);
        return;
    }
    number_shortest(value.number, digits);
    text_add(out, digits);
    if (!strpbrk(digits, ".en"))  // the n of inf and nan
        text_add(out, ".0");
}

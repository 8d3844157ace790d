// ranges: sets of numbers as text: "1-20,25,30-40:2".
#include "ranges.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

void ranges_done(struct ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct ranges){0};
}

static bool read_number(const char **at, uint64_t *out)
{
    uint64_t number = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); (*at)++) {
        number = number * 10 + (uint64_t)(**at - '0');
        if (number >= RANGES_END)
            return false;
    }
    *out = number;
    return true;
}

static bool read_range(const char **at, struct range *out)
{
    if (!read_number(at, &out->from))
        return false;
    out->to = out->from;
    out->step = 1;
    if (**at == '-' && (++*at, !read_number(at, &out->to)))
        return false;
    if (**at == ':' && (++*at, !read_number(at, &out->step)))
        return false;
    return out->to >= out->from && out->step > 0;
}

struct bilanx_error ranges_parse(const char *text, struct ranges *out)
{
    AUTO(ranges) struct ranges ranges = {0};
    for (const char *at = text;; at++) {
        struct range range;
        if (!read_range(&at, &range) || (*at && *at != ','))
            return bilanx_error_make(BILANX_E_INPUT,
                                     "'%.80s' is not a list of numbers such as 1-20,25", text);
        mem_grow(ranges.items, ranges.count, &ranges.room);
        ranges.items[ranges.count++] = range;
        if (!*at)
            break;
    }
    *out = ranges;
    ranges = (struct ranges){0};
    return BILANX_SUCCESS;
}

bool ranges_have(const struct ranges *ranges, uint64_t number)
{
    for (size_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->items[i];
        if (number >= range->from && number <= range->to &&
            (number - range->from) % range->step == 0)
            return true;
    }
    return false;
}

uint64_t ranges_size(const struct ranges *ranges)
{
    uint64_t size = 0;
    for (size_t i = 0; i < ranges->count; i++)
        size += (ranges->items[i].to - ranges->items[i].from) / ranges->items[i].step + 1;
    return size;
}

void ranges_print(const uint64_t *numbers, size_t count, struct text *out)
{
    for (size_t i = 0; i < count;) {
        size_t last = i;
        while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
            last++;
        text_format(out, "%s%" PRIu64, i ? "," : "", numbers[i]);
        if (last > i)
            text_format(out, "-%" PRIu64, numbers[last]);
        i = last + 1;
    }
}

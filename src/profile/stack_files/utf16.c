// utf16: decodes as the lines are read. Halves of characters without the other half become U+FFFD.
#include "utf16.h"

#include <string.h>

#include "base/mem.h"

bool utf16_recognises(const char *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0);
}

static size_t put(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

enum { REPLACEMENT = 0xFFFD };

static bool is_high(unsigned unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(unsigned unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

static size_t put_unit(struct utf16 *utf16, unsigned unit, char *to)
{
    unsigned high = utf16->high;
    utf16->high = 0;
    if (high && is_low(unit))
        return put(to, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    size_t size = high ? put(to, REPLACEMENT) : 0;
    if (is_high(unit)) {
        utf16->high = unit;
        return size;
    }
    return size + put(to + size, is_low(unit) ? REPLACEMENT : unit);
}

static struct bilanx_error decode(void *context, char *to, size_t room, size_t *got)
{
    enum { LARGEST = 6 };  // bytes for one unit, with a lone half before it
    struct utf16 *utf16 = context;
    *got = 0;
    while (*got == 0) {
        const char *bytes;
        size_t size;
        BILANX_TRY(lines_peek(utf16->from, room / LARGEST < 2 ? 2 : room / LARGEST, &bytes, &size));
        if (size < 2)
            break;
        size_t units = size / 2 < room / LARGEST ? size / 2 : room / LARGEST;
        for (size_t i = 0; i < units; i++) {
            unsigned char first = (unsigned char)bytes[2 * i],
                          second = (unsigned char)bytes[2 * i + 1];
            unsigned unit = utf16->big_endian ? first << 8u | second : second << 8u | first;
            *got += put_unit(utf16, unit, to + *got);
        }
        utf16->from->at += 2 * units;
    }
    return BILANX_SUCCESS;
}

void utf16_open(struct lines *from, struct utf16 *utf16, struct lines *out)
{
    *utf16 = (struct utf16){.from = from};
    utf16->big_endian = from->buffer[from->at] == '\xFE';
    from->at += 2;
    *out = (struct lines){.name = mem_text(from->name), .fd = -1, .more = decode};
    out->source = utf16;
}

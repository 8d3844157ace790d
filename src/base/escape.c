// escape: words with the bytes that would end them written as %XX.
#include "escape.h"

#include <string.h>

void escape_add(struct text *out, const char *word, char separator)
{
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;
        if (byte <= ' ' || byte == '%' || byte == 0x7F || *word == separator)
            text_format(out, "%%%02X", byte);
        else
            text_add_char(out, *word);
    }
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

bool escape_decode(char *word)
{
    char *to = word;
    for (const char *from = word; *from; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hex_digit(from[1]);
        int low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0 || high * 16 + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

// width: UTF-8 text as a terminal shows it.
//
// wcwidth() knows the widths, but only in a UTF-8 locale, and the locale of a benchmark program is
// not ours to change. So we switch this thread to a C.UTF-8 locale only while looking up a width.
#include "text.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

size_t text_character(const unsigned char *bytes, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead, size;
        uint32_t least;
    } forms[] = {
        {0x80, 0x00, 1, 0},
        {0xE0, 0xC0, 2, 0x80},
        {0xF0, 0xE0, 3, 0x800},
        {0xF8, 0xF0, 4, 0x10000},
    };
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        if ((bytes[0] & forms[form].mask) != forms[form].lead)
            continue;
        uint32_t value = bytes[0] & (unsigned char)~forms[form].mask;
        for (size_t i = 1; i < forms[form].size; i++) {
            if ((bytes[i] & 0xC0) != 0x80)
                return 0;
            value = value << 6 | (bytes[i] & 0x3F);
        }
        bool surrogate = value >= 0xD800 && value < 0xE000;
        if (value < forms[form].least || value > 0x10FFFF || surrogate)
            return 0;
        if (code)
            *code = value;
        return forms[form].size;
    }
    return 0;
}

// C0 and C1 controls, marks that reorder a line, and zero-width blanks: a label could use these to
// disguise itself.
static bool harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x200B ||
           (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF || code == 0x2028 ||
           code == 0x2029 || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

void text_add_harmless(struct text *text, const char *added)
{
    const unsigned char *at = (const unsigned char *)added;
    while (*at) {
        uint32_t code = 0;
        size_t size = text_character(at, &code);
        if (size && !harmful(code)) {
            text_add_n(text, (const char *)at, size);
            at += size;
            continue;
        }
        if (code == '\n' || code == '\t')
            text_add(text, code == '\n' ? "\\n" : "\\t");
        else if (size > 1)
            text_format(text, "\\u%04x", (unsigned)code);
        else
            text_format(text, "\\x%02x", *at);
        at += size ? size : 1;
    }
}

// Returns the columns of the character at `at` and sets `*size` to its bytes. Needs a UTF-8 locale.
static size_t character_width(const unsigned char *at, size_t *size)
{
    uint32_t code = 0;
    *size = text_character(at, &code);
    int columns = *size ? wcwidth((wchar_t)code) : 1;
    *size = *size ? *size : 1;
    return columns > 0 ? (size_t)columns : 0;
}

static size_t width_in_locale(const char *text)
{
    size_t width = 0, size;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += size)
        width += character_width(at, &size);
    return width;
}

static void shorten_in_locale(struct text *text, const char *added, size_t width)
{
    size_t whole = width_in_locale(added);
    if (whole <= width) {
        text_add(text, added);
        return;
    }
    size_t head = width ? (width - 1) / 2 : 0, tail = width ? width - 1 - head : 0;
    size_t passed = 0, size, columns;
    const unsigned char *at = (const unsigned char *)added;
    for (; *at && passed + (columns = character_width(at, &size)) <= head; at += size)
        passed += columns;
    text_add_n(text, added, (size_t)((const char *)at - added));
    text_add(text, width ? "\u2026" : "");
    // The tail starts after all marks of the last character left out.
    for (; *at && (passed < whole - tail || character_width(at, &size) == 0); at += size)
        passed += character_width(at, &size);
    text_add(text, (const char *)at);
}

struct locales {
    locale_t utf8, before;
};

static struct locales locale_enter(void)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return (struct locales){utf8, utf8 ? uselocale(utf8) : (locale_t)0};
}

static void locale_leave(struct locales locales)
{
    if (!locales.utf8)
        return;
    uselocale(locales.before);
    freelocale(locales.utf8);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

void text_add_shortened(struct text *text, const char *added, size_t width)
{
    if (is_ascii(added) && strlen(added) <= width) {  // fast path for the usual case
        text_add(text, added);
        return;
    }
    struct locales locales = locale_enter();
    shorten_in_locale(text, added, width);
    locale_leave(locales);
}

size_t text_width(const char *text)
{
    if (is_ascii(text))
        return strlen(text);
    struct locales locales = locale_enter();
    size_t width = width_in_locale(text);
    locale_leave(locales);
    return width;
}

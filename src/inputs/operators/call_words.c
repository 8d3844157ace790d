// call_words: the smallest parts of a line: words, numbers and strings, as Python writes them.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "call_parser.h"

struct bilanx_error parser_complain(const struct call_parser *parser, const char *at,
                                    const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t column = (size_t)(at - parser->line) + 1;
    if (!parser->file)
        return bilanx_error_make(BILANX_E_INPUT, "column %zu: %s", column, message);
    return bilanx_error_make(BILANX_E_INPUT, "%s:%u:%zu: %s", parser->file, parser->line_number,
                             column, message);
}

void parser_skip_blanks(struct call_parser *parser)
{
    parser->at += strspn(parser->at, " \t");
}

bool parser_take(struct call_parser *parser, char expected)
{
    parser_skip_blanks(parser);
    if (*parser->at != expected)
        return false;
    parser->at++;
    return true;
}

struct bilanx_error parser_expect(struct call_parser *parser, char expected, const char *where)
{
    char found[64];
    if (parser_take(parser, expected))
        return BILANX_SUCCESS;
    return parser_complain(parser, parser->at, "expected '%c' %s, not %s", expected, where,
                           parser_describe(parser, found, sizeof found));
}

size_t parser_word(const struct call_parser *parser)
{
    const unsigned char *at = (const unsigned char *)parser->at;
    size_t size = 0;
    if (isalpha(at[0]) || at[0] == '_')
        while (isalnum(at[size]) || at[size] == '_' || at[size] == '.')
            size++;
    return size;
}

const char *parser_describe(const struct call_parser *parser, char *out, size_t size)
{
    size_t word = parser_word(parser);
    unsigned char c = (unsigned char)*parser->at;
    if (c == '\0')
        return "the end of the line";
    if (word)
        snprintf(out, size, "'%.*s'", (int)(word < 40 ? word : 40), parser->at);
    else if (isdigit(c) || c == '-' || c == '.')
        return "a number";
    else if (c < 0x20 || c > 0x7E)
        snprintf(out, size, "the byte \\x%02x", c);
    else
        snprintf(out, size, "'%c'", c);
    return out;
}

// The digits, signs, points and exponents at the cursor.
static size_t number_size(const char *at)
{
    size_t size = 0;
    if (at[0] == '-' || at[0] == '+')
        size++;
    for (; isalnum((unsigned char)at[size]) || at[size] == '.' || at[size] == '_'; size++)
        if ((at[size] == 'e' || at[size] == 'E') && (at[size + 1] == '-' || at[size + 1] == '+'))
            size++;
    return size;
}

static bool copy_number(const struct call_parser *parser, char out[64], size_t *size)
{
    *size = number_size(parser->at);
    if (*size == 0 || *size >= 64)
        return false;
    memcpy(out, parser->at, *size);
    out[*size] = '\0';
    return true;
}

static bool read_integer(const char *text, int64_t *out)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    *out = strtoll(text, NULL, 10);
    return true;
}

struct bilanx_error parser_integer(struct call_parser *parser, int64_t *out)
{
    char text[64], found[64];
    size_t size;
    parser_skip_blanks(parser);
    if (!copy_number(parser, text, &size) || !read_integer(text, out))
        return parser_complain(parser, parser->at, "expected an integer, not %s",
                               parser_describe(parser, found, sizeof found));
    if (errno == ERANGE)
        return parser_complain(parser, parser->at, "the integer %s has more than 64 bits", text);
    parser->at += size;
    return BILANX_SUCCESS;
}

// "inf" and "nan" are words, so only "-inf" and "-nan" are parsed here.
static bool read_special(const char *text, double *out)
{
    bool is_negative = *text == '-';
    text += is_negative;
    if (strcmp(text, "inf") == 0)
        *out = is_negative ? -INFINITY : INFINITY;
    else if (strcmp(text, "nan") == 0)
        *out = (double)NAN;
    else
        return false;
    return true;
}

struct bilanx_error parser_number(struct call_parser *parser, struct bilanx_value *out)
{
    char text[64];
    size_t size;
    struct bilanx_value value = {.kind = BILANX_REAL};
    if (!copy_number(parser, text, &size))
        return parser_complain(parser, parser->at, "this is not a number");
    if (read_integer(text, &value.integer)) {
        value.kind = BILANX_INTEGER;
        if (errno == ERANGE)
            return parser_complain(parser, parser->at, "the integer %s has more than 64 bits",
                                   text);
    } else if (text[size - 1] == 'j') {
        return parser_complain(parser, parser->at, "complex numbers are not supported");
    } else if (!number_read(text, &value.real) && !read_special(text, &value.real)) {
        return parser_complain(parser, parser->at, "'%s' is not a number", text);
    }
    parser->at += size;
    *out = value;
    return BILANX_SUCCESS;
}

static const char *const escapes[] = {"n\n", "t\t", "r\r", "\\\\", "''", "\"\""};

// After the backslash.
static struct bilanx_error unescape(struct call_parser *parser, struct text *out)
{
    char c = *parser->at;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (c && escapes[i][0] == c) {
            text_add_char(out, escapes[i][1]);
            parser->at++;
            return BILANX_SUCCESS;
        }
    const char *at = parser->at;
    if (c == 'x' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
        char digits[3] = {at[1], at[2], '\0'};
        char byte = (char)strtoul(digits, NULL, 16);
        if (byte) {
            text_add_char(out, byte);
            parser->at += 3;
            return BILANX_SUCCESS;
        }
    }
    return parser_complain(parser, at - 1, "unknown escape in a string");
}

struct bilanx_error parser_string(struct call_parser *parser, const char **out)
{
    AUTO(text) struct text text = {0};
    const char *start = parser->at;
    char quote = *parser->at++;
    while (*parser->at != quote) {
        if (!*parser->at)
            return parser_complain(parser, start, "this string does not end");
        char c = *parser->at++;
        if (c == '\\')
            BILANX_TRY(unescape(parser, &text));
        else
            text_add_char(&text, c);
    }
    parser->at++;
    *out = call_memory_text(parser->memory, text_get(&text), text.size);
    return BILANX_SUCCESS;
}

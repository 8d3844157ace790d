// perf_header: parses single lines of `perf script`. What a line means is decided as
// stackcollapse-perf.pl does, which other tools follow.
#include "perf_header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return isspace((unsigned char)c);
}

static const char *after_spaces(const char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

static const char *after_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

// The numbers after the command: "25607 " or "24636/25607 ". Returns what follows them, or NULL.
static const char *parse_ids(const char *at, struct perf_header *out)
{
    const char *end = after_digits(at);
    if (end == at)
        return NULL;
    struct perf_part first = {at, (size_t)(end - at)};
    const char *second = end + strspn(end, "/");
    end = after_digits(second);
    if (!is_space(*end))
        return NULL;
    out->pid = end > second ? first : (struct perf_part){"", 0};
    out->tid = end > second ? (struct perf_part){second, (size_t)(end - second)} : first;
    return end;
}

// A last word "cycles:u:" with an optional period before it, and a colon before both.
static bool parse_event(const char *line, const char *end, struct perf_header *out)
{
    while (end > line && is_space(end[-1]))
        end--;
    if (end == line || end[-1] != ':')
        return false;
    const char *name = --end;
    while (name > line && !is_space(name[-1]))
        name--;
    const char *before = name;
    while (before > line && is_space(before[-1]))
        before--;
    const char *digits = before;
    while (digits > line && isdigit((unsigned char)digits[-1]))
        digits--;
    const char *colon = digits;
    while (digits < before && colon > line && is_space(colon[-1]))
        colon--;
    if (name == end || before == name || colon == line || colon[-1] != ':')
        return false;
    out->event = (struct perf_part){name, (size_t)(end - name)};
    out->period = digits < before ? strtod(digits, NULL) : 0;
    return true;
}

// Without call chains, perf prints the only frame after the event: "cycles:  ffff8103 idle ([k])".
static const char *parse_event_and_frame(const char *line, struct perf_header *out)
{
    struct perf_frame frame;
    for (const char *at = line + strlen(line); at > line; at--)
        if (at[-1] == ':' && is_space(*at) && perf_frame_parse(at, &frame) && frame.object.size &&
            parse_event(line, at, out))
            return at;
    return NULL;
}

bool perf_header_parse(const char *line, struct perf_header *out)
{
    *out = (struct perf_header){0};
    const char *start = after_spaces(line), *rest = NULL;
    if (!*start)
        return false;
    for (const char *at = start + 1; !rest && *at; at++)
        if (is_space(*at) && !is_space(at[-1])) {
            rest = parse_ids(after_spaces(at), out);
            out->command = (struct perf_part){start, (size_t)(at - start)};
        }
    if (!rest)
        return false;
    if (!parse_event(line, line + strlen(line), out))
        out->frame = parse_event_and_frame(line, out);
    return start == line || out->frame;
}

static const char *last_of(const char *start, const char *end, const char *what)
{
    size_t size = strlen(what);
    for (const char *at = end - size; at >= start; at--)
        if (strncmp(at, what, size) == 0)
            return at;
    return NULL;
}

// Where the object starts: the last " (" before `end`. Directories may contain parentheses as well,
// and a deleted file has them at its end, so one that starts a path counts more.
static const char *find_object(const char *start, const char *end)
{
    const char *path = last_of(start, end, " (/"), *bracket = last_of(start, end, " ([");
    const char *found = path > bracket ? path : bracket;
    return found ? found : last_of(start, end, " (");
}

static size_t hexadecimal(const char *at)
{
    return strspn(at, "0123456789abcdefABCDEF");
}

bool perf_frame_parse(const char *line, struct perf_frame *out)
{
    const char *address = after_spaces(line);
    size_t size = hexadecimal(address + 2 * (strncmp(address, "0x", 2) == 0));
    size += 2 * (strncmp(address, "0x", 2) == 0);
    const char *symbol = address + size;
    if (size == 0 || !is_space(*symbol))
        return false;
    const char *close = strrchr(symbol, ')');
    const char *open = close ? find_object(symbol, close) : NULL;
    *out = (struct perf_frame){.address = {address, size}};
    if (open)
        out->object = (struct perf_part){open + 2, (size_t)(close - open - 2)};
    const char *end = open ? open : symbol + strlen(symbol);
    symbol = after_spaces(symbol);
    while (end > symbol && is_space(end[-1]))
        end--;
    out->symbol = (struct perf_part){symbol, end > symbol ? (size_t)(end - symbol) : 0};
    // Old versions of perf print nothing for an unknown symbol: it is folded as a blank.
    if (open > address + size && out->symbol.size == 0)
        out->symbol = (struct perf_part){" ", 1};
    return open || out->symbol.size;
}

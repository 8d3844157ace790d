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
    const char *found = NULL;
    for (const char *at = start; (at = memmem(at, (size_t)(end - at), what, strlen(what))); at++)
        found = at;
    return found;
}

// Where the object starts: the last " (" before `end`. Directories may contain parentheses as well,
// and a deleted file has them at its end, so one that starts a path counts more.
static const char *find_object(const char *start, const char *end)
{
    const char *path = last_of(start, end, " (/"), *bracket = last_of(start, end, " ([");
    const char *found = path > bracket ? path : bracket;
    return found ? found : last_of(start, end, " (");
}

static struct perf_part parse_address(const char *line)
{
    const char *start = after_spaces(line), *end = start;
    if (end[0] == '0' && end[1] == 'x')
        end += 2;
    while (isxdigit((unsigned char)*end))
        end++;
    return (struct perf_part){start, (size_t)(end - start)};
}

static struct perf_part part_between(const char *start, const char *end)
{
    start = after_spaces(start);
    while (end > start && is_space(end[-1]))
        end--;
    return (struct perf_part){start, end > start ? (size_t)(end - start) : 0};
}

static void drop_ending(struct perf_part *part, const char *ending)
{
    size_t size = strlen(ending);
    if (part->size > size && memcmp(part->text + part->size - size, ending, size) == 0)
        part->size -= size;
}

bool perf_frame_parse(const char *line, struct perf_frame *out)
{
    *out = (struct perf_frame){.address = parse_address(line), .object = {"", 0}};
    const char *rest = out->address.text + out->address.size;
    if (out->address.size == 0 || !is_space(*rest))
        return false;
    const char *close = strrchr(rest, ')');
    const char *open = close ? find_object(rest, close) : NULL;
    out->symbol = part_between(rest, open ? open : rest + strlen(rest));
    if (!open)
        return out->symbol.size > 0;
    out->object = (struct perf_part){open + 2, (size_t)(close - open - 2)};
    drop_ending(&out->object, " (deleted)");
    // Old versions of perf print nothing for an unknown symbol: it is folded as a blank.
    if (open > rest && out->symbol.size == 0)
        out->symbol = (struct perf_part){" ", 1};
    return true;
}

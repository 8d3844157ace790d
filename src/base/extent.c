// extent: finds the end of a JSON object in a text, without parsing its contents.
#include "extent.h"

#include <string.h>

// Returns the position after a string, whose opening quote is at `at`; NULL: it does not end.
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : NULL;
}

const char *extent_end(const char *start, const char *end)
{
    size_t depth = 0;
    for (const char *at = start; at && at < end;) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        depth += *at == '{' || *at == '[';
        if (*at == '}' || *at == ']')
            depth--;
        at++;
        if (depth == 0)
            return at;
    }
    return NULL;
}

// Every proper prefix of an object leaves a bracket or a string open. After a crash, some file
// systems fill unwritten parts with zeroes.
bool extent_is_cut(const char *line, size_t size)
{
    size_t blank = 0, used = size;
    while (used && line[used - 1] == '\0')
        used--;
    while (blank < used && strchr(" \t\r", line[blank]))
        blank++;
    return blank == used || (line[blank] == '{' && !extent_end(line + blank, line + used));
}

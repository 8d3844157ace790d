// code: joins and searches pieces of program text.
#include "code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool is_blank_line(const char *line)
{
    line += strspn(line, " \t\r");
    return *line == '\n' || *line == '\0';
}

// The indentation shared by all nonblank lines.
static size_t shared_indent(const char *text, const char **indent)
{
    size_t shared = 0;
    *indent = NULL;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (is_blank_line(line))
            continue;
        size_t own = strspn(line, " \t");
        if (!*indent) {
            *indent = line;
            shared = own;
        }
        size_t same = 0;
        while (same < shared && same < own && line[same] == (*indent)[same])
            same++;
        shared = same;
    }
    return shared;
}

char *code_tidy(const char *snippet)
{
    const char *indent;
    size_t shared = shared_indent(snippet, &indent);
    struct text out = {0};
    const char *line = snippet;
    while (*line && is_blank_line(line)) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    for (; *line; line += *line == '\n') {
        size_t size = strcspn(line, "\n");
        size_t own = is_blank_line(line) ? size : shared;
        text_add_n(&out, line + own, size - own);
        text_add_char(&out, '\n');
        line += size;
    }
    while (out.size && isspace((unsigned char)out.data[out.size - 1]))
        out.data[--out.size] = '\0';
    return text_take(&out);
}

void code_add(struct text *out, const char *piece)
{
    if (!piece)
        return;
    AUTO(memory) char *tidy = code_tidy(piece);
    if (*tidy)
        text_format(out, "%s%s", out->size ? "\n" : "", tidy);
}

char *code_take(struct text *text)
{
    return text->size ? text_take(text) : NULL;
}

void code_add_indented(struct text *out, const char *lines, const char *indent)
{
    for (; *lines; lines += *lines == '\n') {
        size_t size = strcspn(lines, "\n");
        text_format(out, "%s%.*s\n", size ? indent : "", (int)size, lines);
        lines += size;
    }
}

bool code_starts_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

bool code_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The end of a string literal or comment that starts at `at`; otherwise `at`.
static const char *skip_literal(const char *at, const char *comment)
{
    if (text_starts(at, comment))
        return at + strcspn(at, "\n");
    if (*comment == '/' && text_starts(at, "/*")) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'')
        return at;
    char quote = *at++;
    for (; *at && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

const char *code_find_word(const char *code, const char *from, const char *word, size_t size,
                           const char *comment)
{
    for (const char *at = code; *at;) {
        const char *behind = skip_literal(at, comment);
        if (behind != at) {
            at = behind;
        } else if (code_in_word(*at)) {
            const char *start = at;
            while (code_in_word(*at))
                at++;
            if (start >= from && (size_t)(at - start) == size && strncmp(start, word, size) == 0)
                return start;
        } else {
            at++;
        }
    }
    return NULL;
}

static char before(const char *code, const char *at)
{
    while (at > code && isspace((unsigned char)at[-1]))
        at--;
    return at > code ? at[-1] : '\0';
}

// Decides by what follows the name; for a declaration without '=', also by what precedes it.
static bool assigned_here(const char *code, const char *start, const char *end)
{
    end += strspn(end, " \t\r\n");
    if (end[0] == '=')
        return end[1] != '=';
    if (*end && strchr("+-*/%&|^@", *end) && end[1] == '=')
        return true;
    char earlier = before(code, start);
    bool declared = code_in_word(earlier) || (earlier && strchr("*&>", earlier));
    return (declared && *end && strchr("({;[", *end)) || earlier == '&' || *end == ',' ||
           *end == ':';
}

bool code_assigns(const char *code, const char *word, const char *comment)
{
    size_t size = strlen(word);
    const char *at = code;
    while ((at = code_find_word(code, at, word, size, comment)) != NULL) {
        if (assigned_here(code, at, at + size))
            return true;
        at += size;
    }
    return false;
}

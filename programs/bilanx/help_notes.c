// help_notes: docs/notes.md, formatted for a terminal.
//
// The page is embedded at build time. It has only headings and paragraphs, which are printed
// without the Markdown, in the style of a manual page. "### CODE" begins the entry for a code.
#include "help_notes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "notes_page.h"

static const char ENTRY[] = "### ";

static void add_without_marks(const char *line, struct text *out)
{
    for (; *line; line++) {
        if (text_starts(line, "**"))
            line++;
        else
            text_add_char(out, *line == '`' ? '\'' : *line);
    }
    text_add(out, "\n");
}

// A heading, or an empty line.
static void add_line(const char *line, struct text *out)
{
    size_t level = strspn(line, "#");
    if (text_starts(line, ENTRY))
        text_add(out, line + strlen(ENTRY));
    else if (level)
        for (line += level + 1; *line; line++)
            text_add_char(out, (char)toupper((unsigned char)*line));
    text_add(out, "\n");
}

static void add_paragraph(struct text *paragraph, struct text *out)
{
    enum { INDENT = 2 };
    if (!paragraph->size)
        return;
    text_add_repeated(out, " ", INDENT);
    text_add_paragraph(out, INDENT, INDENT, terminal_help_width(), text_get(paragraph));
    text_add(out, "\n");
    text_clear(paragraph);
}

static struct bilanx_error unknown_code(const char *code, const struct list *lines)
{
    AUTO(list) struct list codes = {0};
    for (size_t i = 0; i < lines->count; i++)
        if (text_starts(lines->items[i], ENTRY))
            list_add(&codes, lines->items[i] + strlen(ENTRY));
    const char *nearest = text_nearest(code, (const char *const *)codes.items, codes.count);
    if (nearest)
        return bilanx_error_make(BILANX_E_USAGE, "unknown note '%s' (did you mean '%s'?)", code,
                                 nearest);
    return bilanx_error_make(BILANX_E_USAGE,
                             "unknown note '%s' ('bilanx help notes' lists them all)", code);
}

// Adds the lines of the entry for `code`, up to the next heading, or the whole page if it is NULL.
static void add_entry(const struct list *lines, const char *code, struct text *out)
{
    bool inside = !code;
    AUTO(text) struct text paragraph = {0};
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->items[i];
        if (code && *line == '#')
            inside = text_starts(line, ENTRY) && strcmp(line + strlen(ENTRY), code) == 0;
        bool last = i + 1 == lines->count || lines->items[i + 1][0] == '#';
        if (!*line || *line == '#')
            add_paragraph(&paragraph, out);
        else if (inside)
            add_without_marks(line, &paragraph);
        if (inside && (*line == '#' || (!*line && !(code && last))))
            add_line(line, out);
    }
    add_paragraph(&paragraph, out);
}

struct bilanx_error help_notes(const char *code)
{
    AUTO(memory) char *page = mem_text_n((const char *)notes_page, sizeof notes_page);
    AUTO(list) struct list lines = {0};
    AUTO(text) struct text out = {0};
    list_split_lines(&lines, page);
    add_entry(&lines, code, &out);
    if (!out.size)
        return unknown_code(code, &lines);
    fputs(text_get(&out), stdout);
    return BILANX_SUCCESS;
}

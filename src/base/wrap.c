// wrap: text in lines of a given width.
#include <string.h>

#include "mem.h"
#include "text.h"

struct wrapping {
    size_t at, indent, width;
    bool begins;  // no space before the first word
};

static void fill(struct text *text, struct wrapping wrapping, const char *added)
{
    size_t at = wrapping.at, indent = wrapping.indent, width = wrapping.width;
    bool begins = wrapping.begins;
    while (*added) {
        size_t size = strcspn(added, " \n");
        if (text_starts(added + size, " %"))  // "19 %" stays on one line
            size += 1 + strcspn(added + size + 1, " \n");
        AUTO(memory) char *word = mem_text_n(added, size);
        size_t columns = text_width(word);
        if (!begins && width && at + 1 + columns > width) {
            text_add(text, "\n");
            text_add_repeated(text, " ", indent);
            at = indent;
        } else if (!begins) {
            text_add(text, " ");
            at++;
        }
        begins = false;
        text_add(text, word);
        at += columns;
        added += size + (added[size] != '\0');
    }
}

void text_add_paragraph(struct text *text, size_t at, size_t indent, size_t width,
                        const char *added)
{
    fill(text, (struct wrapping){at, indent, width, true}, added);
}

void text_add_wrapped(struct text *text, size_t at, size_t width, const char *added)
{
    enum { INDENT = 2 };
    AUTO(text) struct text harmless = {0};
    text_add_harmless(&harmless, added);
    fill(text, (struct wrapping){at, INDENT, width, at == 0}, text_get(&harmless));
}

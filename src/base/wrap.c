// wrap: text in lines of a given width.
#include <string.h>

#include "mem.h"
#include "text.h"

void text_add_wrapped(struct text *text, size_t at, size_t width, const char *added)
{
    static const char INDENT[] = "  ";
    bool begins = at == 0;
    while (*added) {
        size_t size = strcspn(added, " ");
        if (text_starts(added + size, " %"))  // "19 %" stays on one line
            size += 1 + strcspn(added + size + 1, " ");
        AUTO(memory) char *word = mem_text_n(added, size);
        AUTO(text) struct text harmless = {0};
        text_add_harmless(&harmless, word);
        size_t columns = text_width(text_get(&harmless));
        if (!begins && width && at + 1 + columns > width) {
            text_format(text, "\n%s", INDENT);
            at = strlen(INDENT);
        } else if (!begins) {
            text_add(text, " ");
            at++;
        }
        begins = false;
        text_add(text, text_get(&harmless));
        at += columns;
        added += size + (added[size] == ' ');
    }
}

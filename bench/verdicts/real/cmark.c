// cmark: Markdown to HTML.
#include <cmark.h>
#include <string.h>

#include "work.h"

static const char document[] = "A *word*, a `name`\n\n- one\n- [two](there)\n";

static int count_letters(void);

// Definitions, in any order.

static int count_letters(void)
{
    char *html = cmark_markdown_to_html(document, sizeof document - 1, CMARK_OPT_DEFAULT);
    int count = (int)strlen(html);
    free(html);
    return count;
}

void prepare(void)
{
    EXPECT(count_letters() > 80);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(count_letters());
}

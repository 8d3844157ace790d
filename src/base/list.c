// list: texts that belong to the list.
#include "list.h"

#include <string.h>

#include "mem.h"
#include "text.h"

void list_done(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct list){0};
}

void list_take(struct list *list, char *text)
{
    mem_grow(list->items, list->count + 1, &list->room);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
}

void list_add(struct list *list, const char *text)
{
    list_take(list, mem_text(text));
}

void list_add_all(struct list *list, const struct list *added)
{
    for (size_t i = 0; i < added->count; i++)
        list_add(list, added->items[i]);
}

struct bilanx_error list_split(struct list *list, const char *line)
{
    AUTO(text) struct text word = {0};
    bool within = false;  // a word has begun, perhaps an empty one in quotes
    char quote = 0;
    for (const char *at = line; *at; at++) {
        if (*at == '\\' && quote != '\'' && at[1]) {
            text_add_char(&word, *++at);
            within = true;
        } else if (quote ? *at == quote : *at == '\'' || *at == '"') {
            quote = quote ? 0 : *at;
            within = true;
        } else if (quote || !strchr(" \t\r\n", *at)) {
            text_add_char(&word, *at);
            within = true;
        } else if (within) {
            list_take(list, text_take(&word));
            within = false;
        }
    }
    if (quote)
        return bilanx_error_make(BILANX_E_USAGE, "a quote (%c) is not closed in '%s'", quote, line);
    if (within)
        list_take(list, text_take(&word));
    return BILANX_SUCCESS;
}

void list_split_lines(struct list *list, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        list_take(list, mem_text_n(text, size));
        text += size + (text[size] == '\n');
    }
}

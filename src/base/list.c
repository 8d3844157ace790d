// list: a list of strings that it owns.
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

static struct bilanx_error unbalanced(const char *text, char quote)
{
    if (quote == '\\')
        return bilanx_error_make(BILANX_E_USAGE, "a backslash ends '%s'", text);
    return bilanx_error_make(BILANX_E_USAGE, "unclosed %s in '%s'",
                             quote == '"' ? "double quote" : "single quote", text);
}

// Reads a quoted string. Moves *at from after the opening quote to after the closing one.
static bool read_quoted(const char **at, char quote, struct text *word)
{
    for (; **at && **at != quote; ++*at) {
        if (quote == '"' && **at == '\\' && (*at)[1] && strchr("\\\"$`\n", (*at)[1])) {
            ++*at;
            if (**at == '\n')  // a continued line
                continue;
        }
        text_add_char(word, **at);
    }
    return *(*at)++ == quote;
}

// Reads one word. Moves *at from its first character to after its last.
static struct bilanx_error read_word(const char *line, const char **at, const char *refused,
                                     struct text *word)
{
    while (**at && !strchr(" \t\r\n", **at)) {
        char c = *(*at)++;
        if (c == '\'' || c == '"') {
            if (!read_quoted(at, c, word))
                return unbalanced(line, c);
        } else if (c == '\\') {
            if (!**at)
                return unbalanced(line, c);
            if (**at != '\n')
                text_add_char(word, **at);
            ++*at;
        } else if (strchr(refused, c)) {
            return bilanx_error_make(
                BILANX_E_USAGE, "'%c' in '%s' needs a shell: add --shell, or quote it", c, line);
        } else {
            text_add_char(word, c);
        }
    }
    return BILANX_SUCCESS;
}

struct bilanx_error list_split_refusing(struct list *list, const char *line, const char *refused)
{
    AUTO(list) struct list words = {0};
    for (const char *at = line; *(at += strspn(at, " \t\r\n"));) {
        AUTO(text) struct text word = {0};
        BILANX_TRY(read_word(line, &at, refused, &word));
        list_take(&words, text_take(&word));
    }
    list_add_all(list, &words);
    return BILANX_SUCCESS;
}

struct bilanx_error list_split(struct list *list, const char *line)
{
    return list_split_refusing(list, line, "");
}

void list_split_lines(struct list *list, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        list_take(list, mem_text_n(text, size));
        text += size + (text[size] == '\n');
    }
}

// shell_words: command lines as text, to words and back, without a shell.
#include "shell_words.h"

#include <string.h>

#include "base/mem.h"

void arguments_add(struct arguments *arguments, char *word)
{
    mem_grow(arguments->items, arguments->count + 1, &arguments->room);
    arguments->items[arguments->count++] = word;
    arguments->items[arguments->count] = NULL;
}

void arguments_done(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->items[i]);
    free(arguments->items);
    *arguments = (struct arguments){0};
}

static struct bilanx_error unbalanced(const char *text, char quote)
{
    if (quote == '\\')
        return bilanx_error_make(BILANX_E_USAGE, "a backslash ends '%s'", text);
    return bilanx_error_make(BILANX_E_USAGE, "a %s is not closed in '%s'",
                             quote == '"' ? "double quote" : "single quote", text);
}

// Reads what stands in quotes; *at is behind the opening one, and then behind the closing one.
static bool read_quoted(const char **at, char quote, struct text *word)
{
    for (; **at && **at != quote; ++*at) {
        if (quote == '"' && **at == '\\' && (*at)[1] && strchr("\\\"$`\n", (*at)[1])) {
            ++*at;
            if (**at == '\n')  // a line goes on
                continue;
        }
        text_add_char(word, **at);
    }
    return *(*at)++ == quote;
}

// Reads one word; *at is at its first character, and then behind its last.
static struct bilanx_error read_word(const char *text, const char **at, struct text *word)
{
    while (**at && !strchr(" \t\n", **at)) {
        char c = *(*at)++;
        if (c == '\'' || c == '"') {
            if (!read_quoted(at, c, word))
                return unbalanced(text, c);
        } else if (c == '\\') {
            if (!**at)
                return unbalanced(text, c);
            if (**at != '\n')
                text_add_char(word, **at);
            ++*at;
        } else if (strchr("|&;<>$`", c)) {
            return bilanx_error_make(BILANX_E_USAGE,
                                     "only a shell understands the '%c' in '%s': add --shell, or "
                                     "quote it",
                                     c, text);
        } else {
            text_add_char(word, c);
        }
    }
    return BILANX_SUCCESS;
}

struct bilanx_error shell_words_split(const char *text, struct arguments *out)
{
    AUTO(arguments) struct arguments words = {0};
    for (const char *at = text; *(at += strspn(at, " \t\n"));) {
        AUTO(text) struct text word = {0};
        BILANX_TRY(read_word(text, &at, &word));
        arguments_add(&words, text_take(&word));
    }
    for (size_t i = 0; i < words.count; i++)
        arguments_add(out, TAKE(words.items[i]));
    return BILANX_SUCCESS;
}

static bool is_plain(const char *word)
{
    for (const char *at = word; *at; at++) {
        unsigned char c = (unsigned char)*at;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c < 0x80 && !strchr("_@%+=:,./-", c))
            return false;
    }
    return *word != '\0';
}

void shell_words_quote(const char *word, struct text *out)
{
    if (is_plain(word)) {
        text_add(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *word);
    }
    text_add_char(out, '\'');
}

// shell_words: command lines as text, to words and back, without a shell.
#include "shell_words.h"

#include <string.h>

struct bilanx_error shell_words_split(const char *text, struct list *out)
{
    return list_split_refusing(out, text, "|&;<>$`");
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

// text: growing strings.
#include "text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"

void text_done(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

static char *room_for(struct text *text, size_t more)
{
    if (text->size + more + 1 > text->room) {
        text->room = (text->size + more + 1) * 3 / 2 + 32;
        text->data = mem_resized(text->data, text->room);
    }
    return text->data + text->size;
}

void text_add_n(struct text *text, const char *added, size_t size)
{
    char *end = room_for(text, size);
    if (size)
        memcpy(end, added, size);
    end[size] = '\0';
    text->size += size;
}

void text_add(struct text *text, const char *added)
{
    text_add_n(text, added, strlen(added));
}

void text_add_char(struct text *text, char added)
{
    text_add_n(text, &added, 1);
}

void text_add_repeated(struct text *text, const char *added, size_t times)
{
    while (times--)
        text_add(text, added);
}

void text_format(struct text *text, const char *format, ...)
{
    assert(format);  // GCC 14 with -fsanitize=undefined warns without this
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        vsnprintf(room_for(text, (size_t)length), (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

void text_clear(struct text *text)
{
    text_cut(text, 0);
}

void text_cut(struct text *text, size_t size)
{
    text->size = size;
    if (text->data)
        text->data[size] = '\0';
}

const char *text_get(const struct text *text)
{
    return text->data ? text->data : "";
}

char *text_take(struct text *text)
{
    char *data = text->data ? text->data : mem_text("");
    *text = (struct text){0};
    return data;
}

bool text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Optimal string alignment: an insertion, deletion, substitution or swap of neighbours costs one.
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST)
        return SIZE_MAX;
    size_t cost[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= rows; i++) {
        for (size_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            size_t best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (cost[i - 1][j] + 1 < best)
                best = cost[i - 1][j] + 1;
            if (cost[i][j - 1] + 1 < best)
                best = cost[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                cost[i - 2][j - 2] + 1 < best)
                best = cost[i - 2][j - 2] + 1;
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *nearest = NULL;
    size_t least = strlen(word) / 3 + 2;  // as many typos as are likely in a word of that length
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance < least && distance < strlen(candidates[i])) {
            least = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
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

void text_add_quoted(struct text *out, const char *word)
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

// text: a string that grows, and a few things one does to text.
//
// A struct text of zeroes is an empty one. `data` is NULL or ends in a NUL that `size` leaves out.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scope.h"

struct text {
    char *data;
    size_t size;
    size_t room;
};

void text_done(struct text *text);
SCOPE_VALUE(text, text_done)

void text_add(struct text *text, const char *added);
void text_add_n(struct text *text, const char *added, size_t size);
void text_add_char(struct text *text, char added);
void text_add_repeated(struct text *text, const char *added, size_t times);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text);             // empties it and keeps its room
const char *text_get(const struct text *text);  // "" when empty
char *text_take(struct text *text);             // the caller frees it; the text is empty then

bool text_equal(const char *a, const char *b);  // NULL equals NULL alone
bool text_starts(const char *text, const char *prefix);

// The candidate that `word` is most likely a misspelling of, or NULL.
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

// Adds a word so that a shell, or list_split(), would read it back as it is.
void text_add_quoted(struct text *text, const char *word);

// Text for a terminal: control characters, escape sequences and broken UTF-8 are shown as \x1b.
void text_add_harmless(struct text *text, const char *added);

// Decodes the UTF-8 character at `bytes`; returns its size, 0 when they are no UTF-8. `code` may be
// NULL.
size_t text_character(const unsigned char *bytes, uint32_t *code);

// Adds UTF-8 text in at most `width` columns: what is too long loses its middle to an ellipsis.
void text_add_shortened(struct text *text, const char *added, size_t width);

// How many columns a terminal gives to UTF-8 text: wide characters take two, combining marks none.
size_t text_width(const char *text);

#endif

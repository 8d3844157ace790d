// text: a growing string, and some operations on text.
//
// A zeroed struct text is empty. `data` is NULL or NUL-terminated; `size` does not count the NUL.
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
void text_clear(struct text *text);             // empties it but keeps its memory
void text_cut(struct text *text, size_t size);  // keeps only the first `size` bytes
const char *text_get(const struct text *text);  // "" if empty
char *text_take(struct text *text);  // the caller frees the result; leaves the text empty

bool text_equal(const char *a, const char *b);  // NULL equals only NULL
bool text_starts(const char *text, const char *prefix);

// Returns the candidate that `word` is most likely a misspelling of, or NULL.
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

// Adds a word, quoted so that a shell or list_split() reads it back unchanged.
void text_add_quoted(struct text *text, const char *word);

// Adds text for a terminal. Control characters, escape sequences and invalid UTF-8 appear as \x1b.
void text_add_harmless(struct text *text, const char *added);

// Decodes the UTF-8 character at `bytes`. Returns its size, or 0 if it is not valid UTF-8. `code`
// may be NULL.
size_t text_character(const unsigned char *bytes, uint32_t *code);

// Adds UTF-8 text in at most `width` columns; an ellipsis replaces the middle of longer text.
void text_add_shortened(struct text *text, const char *added, size_t width);

// Adds harmless text, wrapped between words so that no line exceeds `width` columns (0: no limit).
// `at` columns of the first line are taken; the other lines are indented by two.
void text_add_wrapped(struct text *text, size_t at, size_t width, const char *added);

// Adds text as it is, wrapped between words in the same way; `at` columns of the first line are
// taken, the other lines are indented by `indent`. Line breaks in `added` count as spaces.
void text_add_paragraph(struct text *text, size_t at, size_t indent, size_t width,
                        const char *added);

// Returns the columns that UTF-8 text takes on a terminal: wide characters take two, combining
// marks none.
size_t text_width(const char *text);

#endif

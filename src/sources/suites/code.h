// code: joins and searches pieces of program text.
#ifndef SUITE_CODE_H
#define SUITE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// Removes common indentation, a leading empty line and trailing blanks. The caller frees the
// result.
char *code_tidy(const char *snippet);

// Adds a piece, tidied, on separate lines; NULL or blank adds nothing.
void code_add(struct text *out, const char *piece);

// The text, or NULL if empty; the caller frees it.
char *code_take(struct text *text);

// Adds lines, each prefixed with `indent`.
void code_add_indented(struct text *out, const char *lines, const char *indent);

bool code_starts_word(char c);
bool code_in_word(char c);

// The first occurrence of `word` as a whole word at or after `from`, outside comments and string
// literals; NULL: none. `comment` starts a comment.
const char *code_find_word(const char *code, const char *from, const char *word, size_t size,
                           const char *comment);

// Whether code assigns to the name: y = .., auto y = .., y += .., Tensor y(..), f(&y).
bool code_assigns(const char *code, const char *word, const char *comment);

#endif

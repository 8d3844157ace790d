// code: pieces of program text, joined and looked through.
#ifndef SUITE_CODE_H
#define SUITE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// A snippet as it is meant: without the indentation that all its lines share, a first empty line
// and blanks at the end. The caller frees it.
char *code_tidy(const char *snippet);

// Adds a piece, tidied, on lines of its own; NULL and what is blank adds nothing.
void code_add(struct text *out, const char *piece);

// The text, or NULL when it is empty; the caller frees it.
char *code_take(struct text *text);

// Adds lines, each behind `indent`.
void code_add_indented(struct text *out, const char *lines, const char *indent);

bool code_starts_word(char c);
bool code_in_word(char c);

// Where `word` stands as a whole word in code from `from` on, comments and string literals left
// out; NULL: nowhere. `comment` starts a comment.
const char *code_find_word(const char *code, const char *from, const char *word, size_t size,
                           const char *comment);

// Whether code gives the name a value: y = .., auto y = .., y += .., Tensor y(..), f(&y).
bool code_assigns(const char *code, const char *word, const char *comment);

#endif

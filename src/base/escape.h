// escape: words with the bytes that would end them written as %XX.
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>

#include "base/text.h"

// Adds a word. Control characters, the space, '%', DEL and `separator` are escaped.
void escape_add(struct text *out, const char *word, char separator);

// Decodes %XX in place. Returns false for an incomplete or invalid escape, or one for NUL.
bool escape_decode(char *word);

#endif

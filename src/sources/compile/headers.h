// headers: which standard headers a text needs, judging by the names it uses.
#ifndef LANG_HEADERS_H
#define LANG_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { HEADERS_BOOL = 1 };  // the bit of <stdbool.h>

// Returns a bit for each header that declares a name used in `text`, which may be NULL. In C++ a
// name counts after `std::`, or anywhere if the text has `using namespace std`.
uint64_t headers_named(const char *text, bool cplusplus);

// Appends an #include for each of them, guarded by whether it exists.
void headers_write(uint64_t named, struct text *out);

// The length of the identifier that the text begins with; 0: it begins with something else.
size_t headers_word(const char *text);

// Whether the word is one of `names`, which are separated by blanks.
bool headers_among(const char *names, const char *word, size_t size);

#endif

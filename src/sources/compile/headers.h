// headers: the standard headers that a text needs by the names in it.
#ifndef LANG_HEADERS_H
#define LANG_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { HEADERS_BOOL = 1 };  // the bit of <stdbool.h>

// A bit for each header of the table that has a name that is in `text`, which may be NULL. In C++ a
// name counts after `std::`, and where the text says `using namespace std`.
uint64_t headers_named(const char *text, bool cplusplus);

// Appends a line that includes each of them, where it exists.
void headers_write(uint64_t named, struct text *out);

#endif

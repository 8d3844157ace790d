// utf16: reads lines of UTF-8 from a file in UTF-16, as PowerShell writes it.
#ifndef STACK_FILES_UTF16_H
#define STACK_FILES_UTF16_H

#include "base/lines.h"

struct utf16 {
    struct lines *from;
    bool big_endian;
    unsigned high;  // first half of a character that is split between two reads; 0: none
};

// Whether it starts with a byte order mark.
bool utf16_recognises(const char *bytes, size_t size);

// Makes `out` the content of `from` in UTF-8. `utf16` and `from` must outlive it.
void utf16_open(struct lines *from, struct utf16 *utf16, struct lines *out);

#endif

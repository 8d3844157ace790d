// tell: where the lines go that a person may want to read. The library never prints: it tells its
// caller, who decides.
#ifndef BASE_TELL_H
#define BASE_TELL_H

#include <stddef.h>

struct tell {                                       // zeroes: nobody listens
    void (*line)(void *context, const char *text);  // without a newline
    void *context;
};

// `tell` may be NULL.
static inline void tell_line(const struct tell *tell, const char *text)
{
    if (tell && tell->line)
        tell->line(tell->context, text);
}

#endif

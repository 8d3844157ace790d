// tell: passes on lines meant for the user. The library never prints; it gives each line to its
// caller, who decides what to do with it.
#ifndef BASE_TELL_H
#define BASE_TELL_H

#include <stddef.h>

struct tell {                                       // all zero: lines are dropped
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

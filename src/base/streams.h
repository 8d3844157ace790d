// streams: what a program can count on when it writes.
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>

// For the first line of main. 0, 1 and 2 are open from then on, so that no other file gets their
// number; those that were closed lead nowhere. Writing beyond the limit of `ulimit -f` is an error
// from then on, not the end of the process; programs that it executes keep the system's own way.
// Returns whether stdout was closed.
bool streams_prepare(void);

#endif

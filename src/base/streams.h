// streams: makes stdin, stdout and stderr safe to use.
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>

// Call this first in main(). Opens 0, 1 and 2 on /dev/null if they are closed, so that no other
// file gets their number. Writing past `ulimit -f` becomes an error instead of a fatal signal;
// programs that this process executes keep the default. Returns whether stdout was closed.
bool streams_prepare(void);

#endif

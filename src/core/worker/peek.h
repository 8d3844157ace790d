// peek: reads memory of this process that may not be there.
#ifndef WORKER_PEEK_H
#define WORKER_PEEK_H

#include <stdbool.h>
#include <stddef.h>

// Copies up to `size` bytes, ending before the first page that cannot be read. Returns how many.
// Safe in a signal handler. At most 256 kB.
size_t peek(void *to, const void *from, size_t size);

// Whether this system allows it.
bool peek_works(void);

#endif

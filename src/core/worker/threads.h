// threads: the threads of this process.
#ifndef WORKER_THREADS_H
#define WORKER_THREADS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/scope.h"

struct threads {
    pid_t *items;
    size_t count, room;
};
void threads_list(struct threads *out);
void threads_done(struct threads *threads);
SCOPE_VALUE(threads, threads_done)

// How many there are, which costs less; 1 if unknown.
unsigned threads_count(void);

#endif

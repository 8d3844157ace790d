// zygote: a worker that forks for every case, so that what it loaded is paid for once.
//
// "open ... fork=1" is answered by a fork of the worker, which holds the conversation on the same
// descriptors until the case is closed, and ends. The worker itself only waits: it ends a child
// that takes too long, together with what that child started, and answers for one that died. A page
// of shared memory tells it whether a request is waiting for its answer.
//
// Every fork is to find the same process: between two cases the worker allocates nothing, and even
// the request is read by the child.
#ifndef WORKER_ZYGOTE_H
#define WORKER_ZYGOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/children.h"
#include "bilanx/error.h"

struct zygote_page;

struct zygote {  // of zeroes: a worker that never forked
    struct zygote_page *page;
    bool child;              // this process is the fork for a case
    size_t inherited;        // in the child: bytes of requests that the worker had read ahead
    int alive[2];            // a pipe that closes with the child
    struct children before;  // the worker's own, which stay
};

void zygote_done(struct zygote *zygote);

// Is this request one that the worker is to fork for? Looks without parsing.
bool zygote_wanted(const char *line, size_t size);

// Is the fork to stay, as the worker from then on? Under valgrind it has translated what forks
// execute, so that those to come need not.
bool zygote_stays(const char *line, size_t size);
void zygote_inherit(struct zygote *zygote);                // in the fork, when its case is over
__attribute__((noreturn)) void zygote_retire(pid_t heir);  // in the worker: waits, and ends like it

// As fork(); `inherited` is how much of the channel the worker has read and not used.
pid_t zygote_fork(struct zygote *zygote, size_t inherited);

// Waits until the child is gone, and with it what it started. Success: its case is over.
// Otherwise an answer is owed: to the request under way, if `*asked`, else to the next.
struct bilanx_error zygote_wait(struct zygote *zygote, pid_t child, bool *asked, bool *entered);

// How much of what was read ahead the child has used.
size_t zygote_used(const struct zygote *zygote);

// What the child tells. Without a zygote, and in the worker itself, these do nothing.
void zygote_set_timeout(struct zygote *zygote, uint64_t timeout_ns);  // for each answer; 0: none
void zygote_asked(struct zygote *zygote, size_t size);  // a request of so many bytes was read
void zygote_entered(struct zygote *zygote);             // the body reached its loop
void zygote_answering(struct zygote *zygote, bool last);

#endif

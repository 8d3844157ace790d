// zygote: a worker that forks for every case, so that it loads everything only once.
//
// "open ... fork=1" is answered by a fork of the worker. The fork continues the conversation on the
// same descriptors until the case is closed, then exits. The worker itself only waits: it kills a
// child that takes too long, with all its descendants, and answers for a child that died. A page of
// shared memory tells it whether a request is waiting for an answer.
//
// Every fork should find the process in the same state. So the worker allocates nothing between two
// cases, and even the request is parsed by the child.
#ifndef WORKER_ZYGOTE_H
#define WORKER_ZYGOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/children.h"
#include "bilanx/error.h"

struct zygote_page;

struct zygote {  // all zero: a worker that has never forked
    struct zygote_page *page;
    bool child;              // this process is a fork for a case
    size_t inherited;        // in the child: bytes of requests that the worker had read ahead
    int alive[2];            // a pipe that closes when the child ends
    struct children before;  // the worker's own children, which stay
};

void zygote_done(struct zygote *zygote);

// Returns whether the worker should fork for this request. Looks at the line without parsing it.
bool zygote_wanted(const char *line, size_t size);

// Returns whether the fork should stay and replace the worker. Under valgrind, it has already
// translated what forks execute, so later forks need not.
bool zygote_stays(const char *line, size_t size);
void zygote_inherit(struct zygote *zygote);                // in the fork, when its case is over
__attribute__((noreturn)) void zygote_retire(pid_t heir);  // in the worker: exits like its heir

// Like fork(). `inherited` is how much the worker has read from the channel and not used.
pid_t zygote_fork(struct zygote *zygote, size_t inherited);

// Waits until the child and all its descendants are gone. Success means that its case is over.
// Otherwise an answer is owed: to the current request if `*asked`, else to the next one.
struct bilanx_error zygote_wait(struct zygote *zygote, pid_t child, bool *asked, bool *entered);

// Returns how much of the data read ahead the child has used.
size_t zygote_used(const struct zygote *zygote);

// Called by the child to report its state. No-ops without a zygote, and in the worker itself.
void zygote_set_timeout(struct zygote *zygote, uint64_t timeout_ns);  // for each answer; 0: none
void zygote_asked(struct zygote *zygote, size_t size);  // a request of `size` bytes was read
void zygote_entered(struct zygote *zygote);             // the body has reached its loop
void zygote_answering(struct zygote *zygote, bool last);

#endif

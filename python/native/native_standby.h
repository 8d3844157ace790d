// native_standby: the worker that C++ statements with PyTorch share.
//
// Loading PyTorch takes half a second of computing, so one worker loads it and forks for every
// statement. It serves one statement at a time, and stays until this process ends.
#ifndef NATIVE_STANDBY_H
#define NATIVE_STANDBY_H

#include "core/run/session.h"
#include "native.h"

// A statement's open case. Belongs to the statement; zero: closed.
struct standby_case {
    struct session session;
    bool is_open;
};

// Reserves the worker for this thread; false: another thread is using it. Call it and
// native_standby_give() with the interpreter's lock.
bool native_standby_take(void);
void native_standby_give(void);

// Makes the subject fork from the worker, which loads the libraries of this list, a file; false:
// there is no such file yet. Closes the case that is open in it. The caller has taken the worker.
bool native_standby_lend(const char *list, uint64_t threads, struct standby_case *to,
                         struct run_subject *subject);

// Closes a case, in the worker or in a separate process. For one that has failed, `error` says why.
void native_standby_close(struct standby_case *open, const struct bilanx_error *error);

#endif

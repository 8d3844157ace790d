// operator_worker: the process that runs operators on backends, for `bilanx ops`.
//
// It loads backends once and forks for every sample, so that a backend that crashes or hangs costs
// one sample. bilanx-worker serves in this way, and so does a Python interpreter that has loaded
// the same code as a shared library, bilanx-operators.so, and adds its own backends.
//
//     libc = ctypes.PyDLL(folder + "/bilanx-operators.so")
//     libc.operator_worker_serve(ctypes.byref(worker))
//
// The conversation is in docs/formats/protocol.md.
#ifndef OPERATOR_WORKER_OPERATOR_WORKER_H
#define OPERATOR_WORKER_OPERATOR_WORKER_H

#include "bilanx/backend.h"

// When `forking` is called: in the order of PyOS_BeforeFork(), _AfterFork_Parent(), _Child().
enum operator_worker_fork { OPERATOR_FORK_BEFORE, OPERATOR_FORK_PARENT, OPERATOR_FORK_CHILD };

struct operator_worker {                           // every field may be zero
    const struct bilanx_backend *const *backends;  // that this process provides, found by name
    size_t backend_count;
    // Returns why the module of a backend cannot be loaded into this process, such as another
    // version of a library; NULL: it can. It then runs in a second process.
    const char *(*elsewhere)(const char *name, const char *path);
    void (*forking)(enum operator_worker_fork when);
};

// Serves the controller that started this process, until it hangs up. Returns the exit status; 2:
// this process was not started by a controller.
BILANX_API int operator_worker_serve(const struct operator_worker *worker);

#endif

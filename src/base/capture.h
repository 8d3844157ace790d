// capture: runs a program to its end and keeps what it printed.
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "bilanx/error.h"

// stdout and stderr are appended to `output`, up to a megabyte; stdin is empty. `directory` may be
// NULL. *status is the exit status, 128 and the signal's number when it was killed. An error means
// that it could not be run, took too long, or that somebody pressed ^C.
struct bilanx_error capture_run(const char *const *argv, const char *directory, double timeout_s,
                                struct text *output, int *status);

// The same for one that has more of its own.
struct capture_start {
    const char *const *argv;
    const char *directory;   // NULL: here
    char *const *variables;  // NULL: ours
    bool session;            // of its own, so that it finds no terminal; else a process group
};
struct bilanx_error capture_run_as(const struct capture_start *start, double timeout_s,
                                   struct text *output, int *status);

// The first half of that: starts it, and opens a descriptor to read what it prints.
struct bilanx_error capture_start(const struct capture_start *start, int *from, pid_t *pid);

#endif

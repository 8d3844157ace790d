// capture: runs a program to completion and keeps its output.
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/surroundings.h"
#include "base/text.h"
#include "bilanx/error.h"

struct capture_options {                      // every field but the first may be zero
    const char *const *argv;                  // looked up on the PATH of `surroundings`
    const struct surroundings *surroundings;  // what it starts with; NULL: the same as this process
    const char *directory;     // working directory, relative to `surroundings`; NULL: theirs
    char *const *environment;  // additional variables NAME=VALUE, up to a NULL
    double timeout_s;          // 0: no limit
    // Set this for a user's shell command, which may leave processes behind. It gets no terminal,
    // it is done as soon as the shell exits, and we keep the last few kilobytes of output, not the
    // first megabyte.
    bool shell;
    int log;  // a descriptor that all output is copied to, up to 64 MB; 0: none
    // Called once, when `signal` becomes readable while the program is running. May be NULL.
    void (*look)(void *context, pid_t pid);
    void *context;
    int signal;
};

// Appends stdout and stderr to `output`, up to a megabyte. stdin is empty. *status is the exit
// status, or 128 plus the signal number if the program was killed. An error means that it could not
// be run, took too long, or that the user pressed ^C; its process group has then been killed.
struct bilanx_error capture_run(const struct capture_options *options, struct text *output,
                                int *status);

#endif

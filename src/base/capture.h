// capture: runs a program to its end and keeps what it printed.
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/surroundings.h"
#include "base/text.h"
#include "bilanx/error.h"

struct capture_options {                      // every field but the first may be left at zero
    const char *const *argv;                  // looked up on the PATH of the surroundings
    const struct surroundings *surroundings;  // where it starts; NULL: where this process is
    const char *directory;     // entered after that, may be relative to it; NULL: none
    char *const *environment;  // NAME=VALUE, up to a NULL, on top of the variables there
    double timeout_s;          // 0: as long as it takes
    // It runs a user's text, which may start what outlives it. So it has no terminal, it is done
    // once it has ended, and the last few kilobytes of its output are kept, not the first megabyte.
    bool shell;
    int log;  // a descriptor that gets all it prints, up to 64 MB; 0: none
    // Called once, when `signal` can be read and the program still runs. May be NULL.
    void (*look)(void *context, pid_t pid);
    void *context;
    int signal;
};

// stdout and stderr are appended to `output`, up to a megabyte; stdin is empty. *status is the exit
// status, 128 and the signal's number when it was killed. An error means that it could not be run,
// took too long, or that somebody pressed ^C: then it and its process group are killed.
struct bilanx_error capture_run(const struct capture_options *options, struct text *output,
                                int *status);

#endif

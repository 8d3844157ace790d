// child: one call of a command, timed from just before it is spawned until it has ended.
//
// The child has a process group of its own, which dies with it, and is killed when this process
// dies. Nothing of its output is read while it runs.
#ifndef COMMANDS_CHILD_H
#define COMMANDS_CHILD_H

#include <sys/types.h>

#include "base/spawn.h"
#include "base/text.h"
#include "bilanx/error.h"
#include "core/clock/clock.h"

struct child_options {
    const char *program;  // its path, which may be relative to where it starts
    char *const *argv;
    const struct surroundings *surroundings;  // where it starts; NULL: where this process is
    struct spawn_streams streams;
    uint64_t timeout_ns;
    int watched;         // a file of output that is cut when it grows large, or -1
    bool uninterrupted;  // a ^C that came already does not end it
};

struct child {
    pid_t pid;  // 0: none. Ended or not, it is not reaped until child_done()
    int status;
    double wall, user, system;  // seconds
    double max_rss;             // bytes; no less than this process had itself when it spawned
};

// Runs it to its end. An error is that it could not be started, took too long, or a ^C; how it
// ended is in out->status. In each case the caller ends `out`.
struct bilanx_error child_run(const struct child_options *options, const struct clock *clock,
                              struct child *out);

// Kills what it left behind in its group, and reaps it.
void child_done(struct child *child);
SCOPE_VALUE(child, child_done)

// What an exit status says: success, BILANX_E_EXITED or BILANX_E_CRASHED.
struct bilanx_error child_fate(int status);

#endif

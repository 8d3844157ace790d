// child: one run of a command, timed from just before the spawn until the process exits.
//
// The child gets its own process group. The group is killed when the child ends or when this
// process dies. Output is not read while the child runs.
#ifndef COMMANDS_CHILD_H
#define COMMANDS_CHILD_H

#include <sys/types.h>

#include "base/spawn.h"
#include "base/text.h"
#include "bilanx/error.h"
#include "core/clock/clock.h"

struct child_options {
    const char *program;  // path; may be relative to the child's directory
    char *const *argv;
    const struct surroundings *surroundings;  // where it starts; NULL: as this process
    struct spawn_streams streams;
    uint64_t timeout_ns;
    int watched;         // output file to truncate when it grows too large, or -1
    bool uninterrupted;  // ignore a ^C that arrived before the start
};

struct child {
    pid_t pid;  // 0: none. Not reaped before child_done(), even if it has exited
    int status;
    double wall, user, system;  // seconds
    double max_rss;             // bytes; at least what this process used when it spawned the child
};

// Runs the child to completion. Returns an error if it cannot be started, times out or is
// interrupted; its exit status is in out->status. The caller always calls child_done(out).
struct bilanx_error child_run(const struct child_options *options, const struct clock *clock,
                              struct child *out);

// Kills any processes left in the child's group, then reaps the child.
void child_done(struct child *child);
SCOPE_VALUE(child, child_done)

// Converts an exit status to success, BILANX_E_EXITED or BILANX_E_CRASHED.
struct bilanx_error child_fate(int status);

#endif

// spawn: starts a process.
//
// The one place that forks and executes for us: workers, tools, shells and measured commands differ
// in the options only. A child is the leader of a new process group, and it is killed when this
// process dies. Signals have their default actions in it, except SIGHUP under nohup.
//
// A program is executed by vfork(): the child borrows our memory until it is executed, so that a
// start costs the same however large this process is. A fork() that copies page tables only to drop
// them again costs half a millisecond, a tenth of a short measurement.
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/draw.h"
#include "base/surroundings.h"
#include "bilanx/error.h"

struct spawn_streams {  // descriptors; 0: /dev/null
    int in, out, err;
};

struct spawn_options {        // every field may be left at zero
    const char *const *argv;  // a program to execute; NULL: `body` runs in a fork of this process
    const char *program;      // the path of the program; NULL: argv[0], looked up on the PATH
    int (*body)(void *context);  // its result is the exit status
    void *context;
    const struct surroundings *surroundings;  // where it starts; NULL: where this process is
    const char *directory;     // entered after that, may be relative to it; NULL: none
    char *const *environment;  // NAME=VALUE, up to a NULL, added to the variables there
    struct spawn_streams streams;
    int kept[2];       // descriptors that stay open in the program; 0: none
    uint64_t lineage;  // see base/lineage.h; 0: none
    uint64_t cpus;     // runs on that many, see base/cpus.h; 0: wherever it likes
    struct draw draw;  // what a program shares with another one
    bool session;      // it leads a session, not just a group: it has no terminal
    bool adopts;       // it adopts its orphans, see base/children.h
    bool strict;       // a script without a first line "#!" is an error; else sh runs it
};

// An error means that there is no child: nothing could be executed.
struct bilanx_error spawn(const struct spawn_options *options, pid_t *out);

// A descriptor that is readable once a child has ended; -1: the kernel has no such thing.
int spawn_watch(pid_t pid);

// Whether a child has ended; it stays to be reaped.
bool spawn_has_ended(pid_t pid);

#endif

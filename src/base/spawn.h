// spawn: starts a process.
//
// This is the only place where we fork and execute; workers, tools, shells and measured commands
// differ only in their options. The child leads a new process group and is killed when this process
// dies. Its signals have their default actions, except SIGHUP under nohup.
//
// Programs are started with vfork(): the child borrows our memory until it calls exec, so the cost
// does not depend on the size of this process. A fork() that copies page tables only to drop them
// costs half a millisecond, a tenth of a short measurement.
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

struct spawn_options {           // every field may be zero
    const char *const *argv;     // program to execute; NULL: run `body` in a fork of this process
    const char *program;         // path of the program; NULL: look up argv[0] on the PATH
    int (*body)(void *context);  // returns the exit status
    void *context;
    const struct surroundings *surroundings;  // what it starts with; NULL: the same as this process
    const char *directory;     // working directory, relative to `surroundings`; NULL: theirs
    char *const *environment;  // additional variables NAME=VALUE, up to a NULL
    struct spawn_streams streams;
    int kept[2];       // descriptors to keep open in the program; 0: none
    uint64_t lineage;  // see base/lineage.h; 0: none
    uint64_t cpus;     // number of CPUs to pin it to, see base/cpus.h; 0: not pinned
    struct draw draw;  // random choices it shares with another process
    bool session;      // lead a session, not just a group: no terminal
    bool adopts;       // adopt its orphans, see base/children.h
    bool strict;       // reject a script without "#!"; otherwise sh runs it
};

// An error means that nothing was executed and there is no child.
struct bilanx_error spawn(const struct spawn_options *options, pid_t *out);

// Returns a descriptor that is readable once a child has ended; -1: not supported by the kernel.
int spawn_watch(pid_t pid);

// Returns whether a child has ended. Does not reap it.
bool spawn_has_ended(pid_t pid);

#endif

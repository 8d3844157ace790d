// children: the processes that a process started, or adopted, and that nobody has reaped yet.
//
// Children of ours are subreapers: what they start stays below them, whoever of it dies.
#ifndef BASE_CHILDREN_H
#define BASE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILDREN_MOST = 256 };  // that are told apart

struct children {
    pid_t pids[CHILDREN_MOST];
    size_t count;
    bool known;  // false: they are too many, or the kernel does not say who they are
};

// Makes this process adopt what its children leave behind.
void children_adopt(void);

// Those of a process, of all its threads. Allocates nothing that stays.
void children_list(pid_t pid, struct children *out);

// Those of this process. Where it has none, that is one system call.
void children_note(struct children *out);

// Whether this process has one that it had not when `before` was noted, running or not reaped.
bool children_came(const struct children *before);

// Kills the ones that came since, with all that they started, and reaps them.
void children_end(const struct children *before);

// Calls `visit` for each process below `pid`, the deepest ones first.
void children_each_below(pid_t pid, void (*visit)(pid_t child, void *context), void *context);

#endif

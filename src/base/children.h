// children: processes that a process started or adopted, and that have not been reaped.
//
// The children we start are subreapers: all their descendants stay below them, even if a process in
// between dies.
#ifndef BASE_CHILDREN_H
#define BASE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILDREN_MOST = 256 };  // more children are not tracked

struct children {
    pid_t pids[CHILDREN_MOST];
    size_t count;
    bool known;  // false: there are too many, or the kernel does not list them
};

// Makes this process adopt the orphans of its children.
void children_adopt(void);

// Lists the children of all threads of a process. Keeps no memory allocated.
void children_list(pid_t pid, struct children *out);

// Lists the children of this process. If it has none, this is a single system call.
void children_note(struct children *out);

// Returns whether this process has a child, running or not yet reaped, that is not in `before`.
bool children_came(const struct children *before);

// Kills and reaps all children that are not in `before`, with all their descendants.
void children_end(const struct children *before);

// Calls `visit` for each descendant of `pid`, deepest first.
void children_each_below(pid_t pid, void (*visit)(pid_t child, void *context), void *context);

#endif

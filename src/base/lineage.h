// lineage: finds all descendants of our processes, wherever they have moved.
//
// A process can leave its group with setsid(), lose its place in the tree as an orphan, and execute
// a program with another environment. But it keeps its resource limits. Linux has ignored
// RLIMIT_LOCKS since 2.6, so its soft limit can hold a number that a process passes on to all its
// descendants, and one system call reads it. We read it from every process on the machine, which
// takes about a microsecond each. We do so only if something may have been left behind, not after
// every epoch.
//
// Why not a cgroup: few users may create one, joining it waits some milliseconds for an RCU grace
// period, and memory and time of the measured code would be accounted elsewhere. Why not a process
// between the controller and each worker: that takes one more fork per epoch, and the measured code
// would share pages with it.
#ifndef BASE_LINEAGE_H
#define BASE_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns a number that no other process has.
uint64_t lineage_new(void);

// Assigns a lineage to this process and everything it starts from now on. Makes system calls only.
void lineage_begin(uint64_t lineage);

// Counts the running processes of a lineage, up to `enough`.
size_t lineage_count(uint64_t lineage, size_t enough);

// Kills processes of this lineage until none are left.
void lineage_kill(uint64_t lineage);

// Starts a guard process that kills the lineages of this process if it dies, even by SIGKILL. For
// processes that control workers. Further calls do nothing and return false.
bool lineage_guard(void);

// Ends the guard before this process does.
void lineage_unguard(void);

#endif

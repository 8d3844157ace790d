// lineage: finds all that descends from a process of ours, wherever it went.
//
// setsid() leaves a process group, an orphan loses its place in the tree, a program that is
// executed may have another environment. Limits stay. Linux has ignored RLIMIT_LOCKS since 2.6: its
// soft limit is a number that a process hands on to everything that it starts, and that one system
// call reads. All processes of the machine are asked for it, which takes about a microsecond each.
// So that is done where something may have been left behind, and not after every epoch.
//
// Not a cgroup: few users may make one, joining it waits for a grace period of the kernel, some
// milliseconds, and the memory and the time of what is measured would be accounted elsewhere. Not a
// process between the controller and each worker: that is a fork for every epoch, and what is
// measured would share its pages.
#ifndef BASE_LINEAGE_H
#define BASE_LINEAGE_H

#include <stddef.h>
#include <stdint.h>

// A number that no other process has.
uint64_t lineage_new(void);

// This process has it from now on, and so has what it starts. Nothing but system calls.
void lineage_begin(uint64_t lineage);

// How many processes run that have it, counted up to `enough`.
size_t lineage_count(uint64_t lineage, size_t enough);

// Kills all that have it, until there is none.
void lineage_kill(uint64_t lineage);

// Makes sure that the lineages of this process end even if it is killed itself: by a process that
// waits for just that. For who controls workers; calling it again does nothing.
void lineage_guard(void);

#endif

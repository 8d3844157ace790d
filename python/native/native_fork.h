// native_fork: prepares the interpreter for forks.
#ifndef NATIVE_FORK_H
#define NATIVE_FORK_H

#include "native.h"

#if defined(Py_LIMITED_API)  // not part of it, but in every version from 3.7 on
void PyOS_BeforeFork(void);
void PyOS_AfterFork_Parent(void);
void PyOS_AfterFork_Child(void);
#endif

#endif

// preloadable: whether a program can be started with one more library, by LD_PRELOAD.
//
// The dynamic loader complains about a library that does not fit, and sanitizers refuse to run if
// another library comes before theirs.
#ifndef BASE_PRELOADABLE_H
#define BASE_PRELOADABLE_H

#include <stdbool.h>

// Whether a program, or the interpreter of a script, is started by the same dynamic loader as this
// one, and without a sanitizer. Safe between vfork() and exec().
bool preloadable(const char *path);

#endif

// tool: finds a program on the PATH, and its version.
#ifndef DOCTOR_TOOL_H
#define DOCTOR_TOOL_H

#include <stdbool.h>

enum { TOOL_VERSION_SIZE = 32 };

// Runs `name --version`. Returns false if there is no such program. The version is "?" if the
// program does not print it within a few seconds.
bool tool_version(const char *name, char out[TOOL_VERSION_SIZE]);

// Finds the version in a program's output: the first word outside parentheses that starts with a
// digit and contains a period. "gcc (Debian 12.2.0-14) 12.2.0" is 12.2.0; "valgrind-3.19.0" is
// 3.19.0. "?" if there is none.
void tool_read_version(const char *said, char out[TOOL_VERSION_SIZE]);

#endif

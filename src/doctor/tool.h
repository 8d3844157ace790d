// tool: a program of the PATH and the version it claims.
#ifndef DOCTOR_TOOL_H
#define DOCTOR_TOOL_H

#include <stdbool.h>

enum { TOOL_VERSION_SIZE = 32 };

// Runs `name --version`. Returns false when there is no such program; a version that it does not
// tell within a few seconds is "?".
bool tool_version(const char *name, char out[TOOL_VERSION_SIZE]);

// Finds the version in what a program says: the first word that begins with a digit and has a
// point, outside of parentheses: "gcc (Debian 12.2.0-14) 12.2.0" is 12.2.0, "valgrind-3.19.0" is
// 3.19.0. "?" when there is none.
void tool_read_version(const char *said, char out[TOOL_VERSION_SIZE]);

#endif

// folded: shared by those that read and write folded stacks.
#ifndef STACK_FILES_FOLDED_H
#define STACK_FILES_FOLDED_H

#include "stack_files.h"

// Splits a line "main;parse 12" at its number. Returns false if it does not end in one.
bool folded_split(char *line, size_t *stack_size, double *weight);

// Whether a line is a remark, such as austin's "# duration: 12": it starts with "# " and has a
// colon or no number.
bool folded_is_comment(const char *line);

// The kind that a suffix of a name tells: main_[k] is of the kernel.
enum frame_kind folded_kind(const char *name, size_t size);

#endif

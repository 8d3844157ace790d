// extent: finds the end of a JSON object in a text, without parsing its contents.
#ifndef BASE_EXTENT_H
#define BASE_EXTENT_H

#include <stdbool.h>
#include <stddef.h>

// Returns where an object that starts at `start` ends; NULL: not before `end`.
const char *extent_end(const char *start, const char *end);

// Returns whether a line is only the beginning of an object, as a kill or a full disk leaves it.
bool extent_is_cut(const char *line, size_t size);

#endif

// harmless_flags: which flags of a compiler only affect the code it generates.
//
// Others load plugins, start programs or write files wherever they like. A compilation database may
// come from anybody, so only flags known to be harmless are taken from it.
#ifndef STATEMENTS_HARMLESS_FLAGS_H
#define STATEMENTS_HARMLESS_FLAGS_H

#include <stdbool.h>

// `takes_value`: the next word belongs to it, as in "-I dir".
bool flag_is_harmless(const char *word, bool *takes_value);

#endif

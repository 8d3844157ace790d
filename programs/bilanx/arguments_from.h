// arguments_from: a command line that is too long for the kernel, or that others must not see.
//
//     bilanx --arguments-from FILE      FILE has the words, each followed by a NUL; '-' is stdin
#ifndef PROGRAMS_ARGUMENTS_FROM_H
#define PROGRAMS_ARGUMENTS_FROM_H

#include "base/list.h"

// Replaces the two words after argv[0] by those of the file, if they are this option. The list
// keeps the new words and must outlive `argv`.
struct bilanx_error arguments_from(int *argc, char ***argv, struct list *words);

#endif

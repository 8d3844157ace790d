// counting: compiler flags for code that valgrind is to run.
#ifndef LANG_COUNTING_H
#define LANG_COUNTING_H

#include <stdbool.h>

#include "base/list.h"

// Makes of the flags those for counting: debug information that valgrind reads (of DWARF 5 it gives
// up on some), and no instruction that it does not know. `-march=native` becomes the nearest level
// that it runs, `*replaced` tells. A flag that asks for AVX-512 is an error.
struct bilanx_error counting_flags(struct list *flags, bool *replaced);

#endif

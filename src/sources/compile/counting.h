// counting: compiler flags for code to be run under valgrind.
#ifndef LANG_COUNTING_H
#define LANG_COUNTING_H

#include <stdbool.h>

#include "base/list.h"

// Adapts the flags for counting: debug information that valgrind can read (it fails on some DWARF
// 5) and no instructions that it does not support. Replaces `-march=native` by the nearest
// supported level and sets `*replaced`. A flag that enables AVX-512 is an error.
struct bilanx_error counting_flags(struct list *flags, bool *replaced);

#endif

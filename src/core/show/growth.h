// growth: shows how time grows with an argument, if a benchmark or the user asks for it.
#ifndef SHOW_GROWTH_H
#define SHOW_GROWTH_H

#include "core/show/show.h"

// Adds a line per choice of the other arguments: "sort: time grows as n^1.07 (95 %: 1.05 to 1.09)".
// `over` is the argument; NULL: the one that each benchmark names, if it does.
void growth_show(const struct shown *shown, const char *over, struct text *out);

#endif

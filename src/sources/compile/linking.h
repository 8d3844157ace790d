// linking: from object files to the shared object that is measured.
#ifndef LANG_LINKING_H
#define LANG_LINKING_H

#include "sources/compile/building.h"

// Links "s.o" and the objects of the sources to "s.so", in as many layouts as the options ask for.
// `unit`, where it is not empty, are words that compile what is in no object yet: there is one
// layout then.
// What they define is theirs: no library's function of the same name takes its place, and calls
// among them are direct, as in a program.
struct bilanx_error linking_run(struct building *building, const struct list *unit, bool math,
                                struct text *diagnostics);

#endif

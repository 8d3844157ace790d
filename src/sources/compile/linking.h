// linking: links object files into the shared object that is measured.
#ifndef LANG_LINKING_H
#define LANG_LINKING_H

#include "sources/compile/building.h"

// Links "s.o" and the objects of the sources into "s.so", in as many layouts as the options
// request. `unit`, if not empty, holds compiler arguments for code not yet in an object; there is
// only one layout then. Definitions bind locally: a library function of the same name does not
// replace them, and calls among them are direct, as in a program.
struct bilanx_error linking_run(struct building *building, const struct list *unit, bool math,
                                struct text *diagnostics);

#endif

// preload: libraries that are loaded into the processes of a case before anything else.
//
// Each is compiled from one C file, with the compiler and flags of the case, and named in
// LD_PRELOAD. Their functions replace those of libraries that come later.
#ifndef SCHEDULE_PRELOAD_H
#define SCHEDULE_PRELOAD_H

#include "base/temporary.h"
#include "sources/statements/statements.h"

struct preload {
    struct temporary folder;
    struct surroundings surroundings;  // those of the options, with the variable set
};
void preload_done(struct preload *preload);

// Compiles the files and makes `options` use the libraries. Does nothing without files.
struct bilanx_error preload_build(struct preload *preload, const struct list *files,
                                  struct statement_options *options);

#endif

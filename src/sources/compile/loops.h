// loops: the machine code of a snippet's counted loop, by objdump.
#ifndef LANG_LOOPS_H
#define LANG_LOOPS_H

#include "base/list.h"
#include "base/text.h"
#include "bilanx/error.h"

// The machine code of an object, read once for all that is asked about it.
struct loops {
    const char *object;  // all that a caller fills in
    struct list lines;
    bool whole;  // they are of all functions
};
void loops_done(struct loops *loops);
SCOPE_VALUE(loops, loops_done)

// Appends the disassembly of the loop around the statement, a line an instruction; nothing when the
// compiler left no loop.
struct bilanx_error loops_disassemble(const char *object, const char *symbol, struct text *out);

// Whether the statement at `place` left no trace: its loop is gone, or has the instructions of the
// empty one. An error for an object without the variants that tell.
struct bilanx_error loops_removed(struct loops *loops, size_t place, bool *out);

#endif

// loops: disassembles a snippet's counted loop with objdump.
#ifndef LANG_LOOPS_H
#define LANG_LOOPS_H

#include "base/list.h"
#include "base/text.h"
#include "bilanx/error.h"

// Machine code of an object, read once for all queries.
struct loops {
    const char *object;  // the only field that the caller sets
    struct list lines;
    bool whole;  // lines cover all functions
};
void loops_done(struct loops *loops);
SCOPE_VALUE(loops, loops_done)

// Appends the disassembly of the loop around the statement, one instruction per line; nothing if
// the compiler removed the loop.
struct bilanx_error loops_disassemble(const char *object, const char *symbol, struct text *out);

// Whether the statement at `place` left no machine code: its loop is gone or equals the empty loop.
// Returns an error if the object lacks the variants needed to tell.
struct bilanx_error loops_removed(struct loops *loops, size_t place, bool *out);

#endif

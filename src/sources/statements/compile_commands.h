// compile_commands: a project's flags for a file, from its compilation database.
#ifndef STATEMENTS_COMPILE_COMMANDS_H
#define STATEMENTS_COMPILE_COMMANDS_H

#include "base/list.h"
#include "base/surroundings.h"

struct compile_flags {
    char *directory;       // where they apply
    struct list flags;     // without inputs and outputs
    struct list left_out;  // those not known to be harmless
};
void compile_flags_done(struct compile_flags *flags);
SCOPE_VALUE(compile_flags, compile_flags_done)

// Reads the flags that `source` is compiled with. Paths may be relative to the surroundings; NULL:
// to this process. `trusted`: leave none out. The caller ends `out`, which is zeroed, on errors
// too.
struct bilanx_error compile_commands_read(const char *path, const char *source,
                                          const struct surroundings *surroundings, bool trusted,
                                          struct compile_flags *out);

#endif

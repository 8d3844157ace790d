// aliases: numbers that abbreviate names in a callgrind file: "(12) name", later "(12)".
#ifndef COUNTS_ALIASES_H
#define COUNTS_ALIASES_H

#include <stdbool.h>

#include "bilanx/error.h"
#include "names.h"

struct aliases {  // one per kind of name: file, object, function
    struct alias {
        uint64_t id;
        const char *name;  // NULL: free
    } *slots;
    size_t count, room;
    size_t expanded;  // total bytes of names built from aliases
};
void aliases_done(struct aliases *aliases);

// Expands a name from the file and remembers definitions. The error's text is the cause.
struct bilanx_error aliases_read(struct aliases *aliases, struct name_pool *names, const char *text,
                                 const char **out);

// Reads a number, decimal or 0x, and advances `*at`. Returns false if there is none or it does not
// fit.
bool callgrind_number(const char **at, uint64_t *out);

#endif

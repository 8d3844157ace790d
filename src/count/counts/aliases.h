// aliases: the numbers that stand for names in a file of callgrind's: "(12) name", later "(12)".
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
    size_t expanded;  // bytes that names made of aliases came to
};
void aliases_done(struct aliases *aliases);

// What a name in the file stands for; a definition is remembered. An error's text is the cause.
struct bilanx_error aliases_read(struct aliases *aliases, struct name_pool *names, const char *text,
                                 const char **out);

// Reads a number, decimal or 0x: moves `*at` behind it, or returns false when there is none or it
// does not fit.
bool callgrind_number(const char **at, uint64_t *out);

#endif

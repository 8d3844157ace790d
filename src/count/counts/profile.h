// profile: what a file of callgrind's says, by part and function, for every event.
#ifndef COUNTS_PROFILE_H
#define COUNTS_PROFILE_H

#include <stdbool.h>

#include "base/list.h"
#include "names.h"

enum {
    PROFILE_SELF,
    PROFILE_CALLS,   // made to others, all they took included
    PROFILE_CALLED,  // by others, all it took included
    PROFILE_KINDS,
};

struct profile_part {
    struct list events;
    struct function_index functions;
    uint64_t *costs;  // by function, then kind, then event
    size_t cost_room;
    bool *called;  // by function: whether another one calls it
    size_t called_room;
    uint64_t *sums;  // by event: of PROFILE_SELF
};

struct profile {
    struct name_pool names;
    struct profile_part *parts;
    size_t count, room;
};
void profile_done(struct profile *profile);
SCOPE_VALUE(profile, profile_done)

struct profile_part *profile_add_part(struct profile *profile);

// What one line costs, an entry per event, `caller` NULL for what the function does itself. Returns
// false when a sum does not fit in 64 bits.
bool profile_add(struct profile_part *part, const struct function_name *caller,
                 const struct function_name *function, const uint64_t *costs);

// The number of an event by its name; `events.count` when there is none.
size_t profile_event(const struct profile_part *part, const char *name);

uint64_t profile_self(const struct profile_part *part, size_t function, size_t event);

// With what it calls. A function's calls of itself are not counted again; in a recursion through
// others what is known is a bound from above, and never more than the whole part.
uint64_t profile_inclusive(const struct profile_part *part, size_t function, size_t event);

#endif

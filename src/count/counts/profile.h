// profile: contents of a callgrind file, by part and function, for every event.
#ifndef COUNTS_PROFILE_H
#define COUNTS_PROFILE_H

#include <stdbool.h>

#include "base/index.h"
#include "base/list.h"
#include "names.h"

enum {
    PROFILE_SELF,
    PROFILE_CALLS,   // calls to others, inclusive
    PROFILE_CALLED,  // calls by others, inclusive
    PROFILE_KINDS,
};

struct profile_part {
    struct list events;
    struct function_index functions;
    uint64_t *costs;  // by function, then kind, then event
    size_t cost_room;
    bool *called;  // by function: whether another function calls it
    size_t called_room;
    uint64_t *sums;  // by event: sum of PROFILE_SELF
    bool keeps_calls;
    struct profile_call {
        size_t caller, callee;  // functions
    } *calls;                   // each pair once; only if kept
    size_t call_count, call_room;
    uint64_t *call_costs;  // by call, then event
    size_t call_cost_room;
    struct index call_index;
};

struct profile {
    bool keep_calls;  // also keep which function calls which
    struct name_pool names;
    struct profile_part *parts;
    size_t count, room;
};
void profile_done(struct profile *profile);
SCOPE_VALUE(profile, profile_done)

struct profile_part *profile_add_part(struct profile *profile);

// Adds the cost of one line, one entry per event; `caller` is NULL for the function's own cost.
// Returns false if a sum overflows 64 bits.
bool profile_add(struct profile_part *part, const struct function_name *caller,
                 const struct function_name *function, const uint64_t *costs);

// The index of an event by name; `events.count` if there is none.
size_t profile_event(const struct profile_part *part, const char *name);

// The inclusive cost of a call, of those that are kept.
uint64_t profile_call_cost(const struct profile_part *part, size_t call, size_t event);

uint64_t profile_self(const struct profile_part *part, size_t function, size_t event);

// Cost including callees. Direct recursion is not counted twice; for indirect recursion the result
// is an upper bound, never more than the whole part.
uint64_t profile_inclusive(const struct profile_part *part, size_t function, size_t event);

#endif

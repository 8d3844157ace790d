// profiles: the files that callgrind wrote for the repeats of a case.
#ifndef COLLECT_PROFILES_H
#define COLLECT_PROFILES_H

#include "core/record/records.h"
#include "count/counting/nursery.h"

struct profiles {
    struct bilanx_counts *items;  // one for each repeat
    size_t count;
};
void profiles_done(struct profiles *profiles);
SCOPE_VALUE(profiles, profiles_done)

struct bilanx_error profiles_read(const struct nursery *nursery, pid_t process, uint64_t repeats,
                                  struct profiles *out);

// Leaves out of a profile's text what led to the loop: functions that were called before anything
// was counted, of which callgrind says "calls=0". callgrind_annotate takes their inclusive cost for
// their own.
void profiles_trim(const char *text, struct text *out);

// Leaves out of it at which place among several in its object a statement stands.
void profiles_drop_places(const char *text, struct text *out);

// Where in `profiles` the median repeat stands.
size_t profiles_median(const struct profiles *profiles);

// Copies the trimmed file of a repeat.
struct bilanx_error profiles_keep(const struct nursery *nursery, pid_t process, uint64_t repeat,
                                  const char *path);

// Whether the repeats differ; if so, adds a warning that says by how much, and in which functions.
void profiles_compare(const struct profiles *profiles, struct bilanx_record *record);

#endif

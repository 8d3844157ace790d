// profiles: the files that callgrind writes for the repeats of a case.
#ifndef COLLECT_PROFILES_H
#define COLLECT_PROFILES_H

#include "core/record/records.h"
#include "count/counting/nursery.h"

struct profiles {
    struct bilanx_counts *items;  // one per repeat
    size_t count;
};
void profiles_done(struct profiles *profiles);
SCOPE_VALUE(profiles, profiles_done)

struct bilanx_error profiles_read(const struct nursery *nursery, pid_t process, uint64_t repeats,
                                  struct profiles *out);

// Removes from a profile's text the functions that led to the loop, for which callgrind has
// "calls=0" because they were called before counting began. callgrind_annotate mistakes their
// inclusive cost for their own.
void profiles_trim(const char *text, struct text *out);

// Removes from it the index of the statement among several in one object.
void profiles_drop_places(const char *text, struct text *out);

// The index of the median repeat in `profiles`.
size_t profiles_median(const struct profiles *profiles);

// Copies the file of a repeat, trimmed.
struct bilanx_error profiles_keep(const struct nursery *nursery, pid_t process, uint64_t repeat,
                                  const char *path);

// If the repeats differ, adds a warning that says by how much and in which functions.
void profiles_compare(const struct profiles *profiles, struct bilanx_record *record);

#endif

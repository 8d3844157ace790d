// collate: merges records with their replicates.
#ifndef COMPARE_COLLATE_H
#define COMPARE_COLLATE_H

#include "base/index.h"
#include "base/list.h"
#include "core/record/records.h"

struct entry {
    struct bilanx_record record;  // as shown in tables
    size_t source;
    size_t commit;     // plus 1; 0: unknown
    size_t rank;       // of its environment among all
    struct hash task;  // equal for the same task on other sides and in other sources
    bool stale;        // statistics need an update from its times
};

struct collation {
    struct entry *entries;  // ordered by first occurrence
    size_t count, room;
    struct index places;  // indices of entries by task, side and source
    struct list sources;
    struct list commits;  // their `git`, in order of appearance
    struct index commit_places;
    struct list kinds;     // of machines that measured
    struct list variants;  // of glibc's functions that were counted, in words
};
void collation_done(struct collation *collation);

void collate(struct collation *collation, struct bilanx_record *record, const char *source);

// Updates the statistics of all entries.
void collation_summarize(struct collation *collation);

#endif

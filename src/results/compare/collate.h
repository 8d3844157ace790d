// collate: records, each merged with its replicates.
#ifndef COMPARE_COLLATE_H
#define COMPARE_COLLATE_H

#include "base/index.h"
#include "base/list.h"
#include "core/record/records.h"

struct entry {
    struct bilanx_record record;  // what tables show of it
    size_t source;
    struct hash task;  // equal for the same task of other sides and sources
    bool stale;        // its figures are not those of its times
};

struct collation {
    struct entry *entries;  // by the first of each
    size_t count, room;
    struct index places;  // of entries, by task, side and source
    struct list sources;
};
void collation_done(struct collation *collation);

void collate(struct collation *collation, struct bilanx_record *record, const char *source);

// Brings the figures of all entries up to date.
void collation_summarize(struct collation *collation);

#endif

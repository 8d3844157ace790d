// case_groups: decides which cases must be measured on one machine, and estimates their costs.
//
// These stay together: a case and the one that its `overhead_of` refers to; the cases of one row of
// a table, because ratios are computed within a row; and all cases if programs are compared with a
// reference.
#ifndef SHARE_CASE_GROUPS_H
#define SHARE_CASE_GROUPS_H

#include "cluster/shards/shards.h"
#include "sources/source/source.h"

struct case_costs {
    bool counted;         // instructions instead of time
    double run_time;      // seconds per case, if chosen; 0: the default
    bool compared;        // compared with a reference, or one program with another
    const char *records;  // of an earlier run, for the costs of cases; NULL: none
};

// Describes the cases of an open source. The caller frees `*out`.
struct bilanx_error case_groups(const struct source *source, const struct case_costs *costs,
                                struct shard_item **out);

#endif

// case_groups: which cases must be measured on one machine, and what each is expected to cost.
//
// Together stay: a case and the one that its `overhead_of` refers to; the cases of one row of a
// table, which ratios are taken of; and, where programs are compared with a reference, all cases.
#ifndef SHARE_CASE_GROUPS_H
#define SHARE_CASE_GROUPS_H

#include "cluster/shards/shards.h"
#include "sources/source/source.h"

struct case_costs {
    bool counted;         // instructions instead of time
    double run_time;      // seconds per case, if chosen; 0: the default
    bool compared;        // with a reference, or one program with another
    const char *records;  // of an earlier run, which show what cases cost; NULL: none
};

// Describes the cases of an open source. The caller frees `*out`.
struct bilanx_error case_groups(const struct source *source, const struct case_costs *costs,
                                struct shard_item **out);

#endif

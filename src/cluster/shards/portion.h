// portion: decides which of a list of items one machine measures.
#ifndef SHARDS_PORTION_H
#define SHARDS_PORTION_H

#include <stdbool.h>

#include "cluster/shards/shards.h"

struct portion {        // all zero: everything
    const char *shard;  // "2/8"; NULL: not sharded
    const char *cases;  // positions from 1 as ranges, or a file that lists them; NULL: all
};

// The environment variable that holds the digest of all cases for a task on a cluster
// (share_digest()).
#define PORTION_DIGEST "BILANX_CASES_DIGEST"

bool portion_is_partial(const struct portion *portion);

// Sets keep[i] for each item of the portion. Shards divide only the positions in `cases`.
struct bilanx_error portion_choose(const struct portion *portion, const struct shard_item *items,
                                   size_t count, bool *keep);

#endif

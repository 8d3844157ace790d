// shards: divides cases into parts of about equal cost, the same way on every machine.
//
//     struct shard shard;
//     BILANX_TRY(shard_parse("2/8", &shard));
//     shards_cut(items, count, &shard, shard_of_item);    // mine where shard_of_item[i] == 2
//
// Items with the same group stay together. The most expensive groups are dealt first, each to the
// shard that is then least full, so no shard exceeds another by more than one group.
//
// With a step, shards shrink: the first `step` shards share half of the work, the next `step` half
// of the rest, and so on. Machines that take shards in order then finish at about the same time
// with few shards, because the last shards to start are small.
#ifndef SHARDS_SHARDS_H
#define SHARDS_SHARDS_H

#include <stddef.h>
#include <stdint.h>

#include "bilanx/error.h"

struct shard {
    uint64_t index;  // from 1
    uint64_t count;  // 0: not sharded
    uint64_t step;   // 0: all of the same size
};

enum { SHARDS_MOST = 1000000 };

// Parses "INDEX/COUNT" or "INDEX/COUNT/STEP".
struct bilanx_error shard_parse(const char *text, struct shard *out);

struct shard_item {
    double cost;   // expected, in any unit; at least 0
    size_t group;  // less than the number of items
};

// Sets out[i] to the shard of items[i], from 1. `shard->index` does not matter.
void shards_cut(const struct shard_item *items, size_t count, const struct shard *shard,
                uint32_t *out);

// The share of all work that a shard should get.
double shard_weight(const struct shard *shard, uint64_t index);

#endif

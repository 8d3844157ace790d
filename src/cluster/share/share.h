// share: the part of a source's cases that one machine measures.
//
//     BILANX_TRY(source_open(kind, &request, &source));
//     BILANX_TRY(share_take(&share, &source));              // drops the cases of other shards
//     BILANX_TRY(source_prepare(&source));
#ifndef SHARE_SHARE_H
#define SHARE_SHARE_H

#include "cluster/shards/portion.h"
#include "cluster/share/case_groups.h"

struct share {
    struct portion portion;
    struct case_costs costs;
};

// A digest of the cases of a source, to recognise that its files have changed. The caller frees it.
char *share_digest(const struct source *source);

// Drops the cases that are not in the share. source_place() still gives the positions of the others
// among all cases.
struct bilanx_error share_take(const struct share *share, struct source *source);

// Drops the cases that another source, the first side of a comparison, does not have either.
struct bilanx_error share_follow(const struct source *first, struct source *source);

#endif

// share_arguments: options that choose which part of the cases this machine measures.
#ifndef PROGRAMS_SHARE_ARGUMENTS_H
#define PROGRAMS_SHARE_ARGUMENTS_H

#include "base/options.h"
#include "cluster/share/share.h"

// Option groups for struct share.
extern const struct option_rule share_rules[];
extern const struct option share_portion_options[];  // --shard and --cases
extern const struct option share_options[];          // and --shard-costs

#endif

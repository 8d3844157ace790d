// share_arguments: options that choose which part of the cases this machine measures.
#include "share_arguments.h"

#define AT(member) offsetof(struct share, member)
const struct option share_portion_options[] = {
    {"shard", 0, OPTION_TEXT, AT(portion.shard), "I/N",
     .help = "measure only part I of N parts of equal expected cost;\n"
             "'bilanx merge' joins their records"},
    {"cases", 0, OPTION_TEXT, AT(portion.cases), "LIST|FILE", .reads = true,
     .help = "measure only the cases at these positions: 1-20,25"},
    {0},
};

const struct option share_options[] = {
    {.group = share_portion_options},
    {"shard-costs", 0, OPTION_TEXT, AT(costs.records), "FILE", .reads = true,
     .help = "shards: take expected costs from these records"},
    {0},
};

const struct option_rule share_rules[] = {
    {"shard-costs", RULE_NEEDS, "shard cluster"},
    {0},
};

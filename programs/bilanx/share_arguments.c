// share_arguments: options that choose which part of the cases this machine measures.
#include "share_arguments.h"

#define AT(member) offsetof(struct share, member)
const struct option share_options[] = {
    {"shard", 0, OPTION_TEXT, AT(portion.shard), "I/N",
     .help = "only part I of N, of equal expected cost; 'bilanx\n"
             "merge' joins the records of all parts"},
    {"shard-costs", 0, OPTION_TEXT, AT(costs.records), "FILE", .reads = true,
     .help = "shards: expect what cases took in these records"},
    {"cases", 0, OPTION_TEXT, AT(portion.cases), "LIST|FILE", .reads = true,
     .help = "only the cases at these positions: 1-20,25"},
    {0},
};

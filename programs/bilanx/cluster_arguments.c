// cluster_arguments: options of commands that can run on a cluster.
#include "cluster_arguments.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/show/complain.h"

#define AT(member) offsetof(struct cluster_arguments, member)
const struct option cluster_options[] = {
    {"cluster", 0, OPTION_TEXT, AT(cluster), "slurm[:PART]",
     .help = "run on the nodes of a cluster (docs/cluster.md)"},
    {"nodes", 0, OPTION_COUNT, AT(nodes), "N",
     .help = "cluster: use at most N nodes at a time (all)"},
    {"replicate", 0, OPTION_COUNT, AT(replicas), "K",
     .help = "cluster: run each case on K nodes and compare them"},
    {"shard-retries", 0, OPTION_TEXT, AT(retries), "N",
     .help = "cluster: retries of cases lost with a node (3)"},
    {"sbatch-option", 0, OPTION_LIST, AT(sbatch_options), "OPTION",
     .help = "cluster: option for sbatch, such as --time=10"},
    {"cluster-folder", 0, OPTION_TEXT, AT(folder), "DIR",
     .help = "cluster: folder that all nodes share\n"
             "(.bilanx/cluster)"},
    {"stream", 0, OPTION_FLAG, AT(stream),
     .help = "cluster: records over srun, without shared folder"},
    {"unchecked", 0, OPTION_FLAG, AT(unchecked),
     .help = "cluster: do not compare nodes with each other"},
    {"detach", 0, OPTION_FLAG, AT(detach),
     .help = "cluster: submit and return ('bilanx help cluster')"},
    {0},
};

const struct option_rule cluster_rules[] = {
    {"nodes replicate shard-retries sbatch-option cluster-folder stream unchecked detach",
     RULE_NEEDS, "cluster"},
    {"cluster", RULE_EXCLUDES, "shard cases", .why = "it divides the cases itself"},
    {"cluster", RULE_EXCLUDES,
     "flame bundle bisect show-code fuse profile csv compatible backends"},
    {"stream", RULE_EXCLUDES, "detach replicate", .why = "it keeps a connection to each node"},
    {"replicate", RULE_EXCLUDES, "resume"},
    {0},
};

void cluster_arguments_done(struct cluster_arguments *arguments)
{
    words_done(&arguments->sbatch_options);
}

int cluster_run_source(struct cluster_request *request, const struct source *source,
                       const struct case_costs *costs)
{
    AUTO(memory) struct shard_item *items = NULL;
    AUTO(memory) const char **names = mem_array(const char *, source->cases.count + 1);
    int code = complain_error(case_groups(source, costs, &items));
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < source->cases.count; i++)
        names[i] = source->cases.items[i].name;
    request->items = items;
    request->names = names;
    request->count = source->cases.count;
    request->cases = &source->cases;
    AUTO(memory) char *digest = request->same_source ? share_digest(source) : NULL;
    request->digest = digest;
    return cluster_run(request);
}

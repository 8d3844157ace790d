// cluster_arguments: options of commands that can run on a cluster.
#ifndef PROGRAMS_CLUSTER_ARGUMENTS_H
#define PROGRAMS_CLUSTER_ARGUMENTS_H

#include "base/options.h"
#include "cluster/share/share.h"
#include "cluster/site/run_folder.h"
#include "core/show/show_run.h"

struct cluster_arguments {
    const char *cluster;  // "slurm" or "slurm:PARTITION"; NULL: here
    const char *folder;
    uint64_t nodes, replicas;
    const char *retries;
    struct words sbatch_options;
    bool detach, stream, unchecked;
};

// Option group for struct cluster_arguments.
extern const struct option cluster_options[];
extern const struct option_rule cluster_rules[];
void cluster_arguments_done(struct cluster_arguments *arguments);

// The request of a command.
struct cluster_request {
    const struct cluster_arguments *arguments;
    const struct show_settings *settings;
    const struct option *options;  // of the command, whose line is argv
    int argc;
    char **argv;
    const struct shard_item *items;  // one per case
    const char *const *names;        // parallel
    size_t count;
    enum run_records records;
    const struct portion *portion;  // must be everything
    const char *resume;             // file of an earlier run; NULL: none
    const struct run_cases *cases;  // to recognise its records; NULL: by their positions alone
    bool counted;                   // measures instructions
    bool same_source;               // tasks read the files that the cases are from
    const char *digest;             // of the cases, if so; set by cluster_run_source()
};

// Runs a command on a cluster. Returns the exit code.
int cluster_run(const struct cluster_request *request);

// The same for the cases of an open source.
int cluster_run_source(struct cluster_request *request, const struct source *source,
                       const struct case_costs *costs);

#endif

// run_folder: the folder that the machines of a run share, and its files.
//
//     run.json            what is run, and how
//     cases               expected cost, group and name of each case, one per line
//     batches/1.json      one per job array; 1.cases has the positions of its cases
//     records/1.7.1.0.jsonl   records of batch 1, task 7, replica 1, start 0
//     ends/1.7.1.json     how that task ended
//     nodes/n3.json       a machine that took part
//     logs/1.7.log        what a task printed
//     earlier.jsonl       records that were there before, of a resumed run
//     lock                locked by the process that drives the run
//
// Files other than records and logs are written under another name and renamed, so no reader sees
// an incomplete one.
#ifndef SITE_RUN_FOLDER_H
#define SITE_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/text.h"
#include "cluster/shards/shards.h"

// When the records of a case in a file are complete.
enum run_records {
    RECORDS_SINGLE,      // with its only record
    RECORDS_SEQUENTIAL,  // with the first record of another case
    RECORDS_WHOLE,       // when the task has ended
};

enum { RUN_REPLICAS_MOST = 64 };

struct run_folder {
    char *path;
    char *version;        // of bilanx, on all machines
    char *program;        // path of bilanx on the machines
    struct list words;    // command of the tasks: "run", "suite.yaml", ...
    char *directory;      // working directory
    char *out;            // file for the merged records
    char *launcher;       // "slurm"
    char *partition;      // NULL: the default
    struct list options;  // for the launcher
    uint64_t nodes;       // at once; 0: all
    uint64_t retries, replicas;
    enum run_records records;
    bool counted;    // instructions, with all cores of a machine
    bool unchecked;  // do not check whether machines are fit
    bool streamed;   // records come back over the launcher: only this machine has the folder
    char *digest;    // of the cases (share.h); NULL: not checked
    struct shard_item *items;
    struct list names;
    size_t case_count;
};
void run_folder_done(struct run_folder *folder);
SCOPE_VALUE(run_folder, run_folder_done)

// Creates the folder, which must not exist, and writes run.json and cases. `folder->path` is set.
struct bilanx_error run_folder_create(const struct run_folder *folder);

// Makes this process the only one that drives the run, until `*lock` is closed; -1: the folder
// cannot be locked. If another process drives it, the error names that process.
struct bilanx_error run_folder_claim(const char *path, int *lock);

// Removes the files of a run, and the folders that are then empty.
void run_folder_remove(const char *path);

// Reads run.json; `with_cases`: also the cases. The folder is not trusted, so numbers are bounded
// before anything is allocated for them, and words that would be options of other programs are
// refused.
struct bilanx_error run_folder_read(const char *path, bool with_cases, struct run_folder *out);

struct run_batch {
    char *job;  // of the launcher; NULL: not submitted yet
    struct shard shard;
};
void run_batch_done(struct run_batch *batch);
SCOPE_VALUE(run_batch, run_batch_done)

// Batches are numbered from 1. `positions` are the cases, from 1, as ranges.
struct bilanx_error run_batch_write(const char *folder, uint64_t number,
                                    const struct run_batch *batch, const char *positions);
// `*found` is false if there is no such batch. `positions` may be NULL.
struct bilanx_error run_batch_read(const char *folder, uint64_t number, struct run_batch *batch,
                                   struct text *positions, bool *found);

struct run_end {
    char *node, *kind;
    uint64_t status;  // exit status of the task's command
    char *refused;    // why nothing was measured; NULL: it was
    char *failed;     // why it could not run at all; NULL: it could
};
void run_end_done(struct run_end *end);
SCOPE_VALUE(run_end, run_end_done)

struct bilanx_error run_end_write(const char *folder, const char *task, const struct run_end *end);
bool run_end_read(const char *folder, const char *task, struct run_end *end);

struct run_node {
    char *name, *kind;
    char *build;  // equal for machines that can use each other's compiled code
    double kernel_ns;
    struct list failing;  // checks of the doctor
    struct list counts;   // of a few functions of libc: "strlen 42"
};
void run_node_done(struct run_node *node);
SCOPE_VALUE(run_node, run_node_done)

struct run_nodes {
    struct run_node *items;
    size_t count, room;
};
void run_nodes_done(struct run_nodes *nodes);
SCOPE_VALUE(run_nodes, run_nodes_done)

struct bilanx_error run_node_write(const char *folder, const struct run_node *node);
void run_nodes_read(const char *folder, struct run_nodes *out);

// Writes a file under another name and renames it.
struct bilanx_error run_file_write(const char *path, const char *bytes, size_t size);

#endif

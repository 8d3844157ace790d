// slurm_answers: parses the output of Slurm's commands, in the formats that slurm.c asks for.
//
// Parsing is strict: an unexpected line is an error that quotes it; nothing is guessed. Lines that
// start with the name of the command, such as "squeue: warning: ...", are messages and are skipped.
#ifndef LAUNCHING_SLURM_ANSWERS_H
#define LAUNCHING_SLURM_ANSWERS_H

#include "cluster/launching/launcher.h"

// %j name, %F array, %K task, %T state, %Q priority, %N nodes, %r reason.
#define SLURM_QUEUE_FORMAT "%j|%F|%K|%T|%Q|%N|%r"
// The same of sacct, without priority and reason. JobID is ARRAY_TASK.
#define SLURM_ACCOUNT_FORMAT "JobName,JobID,State,NodeList"

// Adds the tasks of arrays. A line may stand for several tasks, in array notation: "[3-7%2]".
struct bilanx_error slurm_read_queue(const char *text, struct launch_tasks *out);
struct bilanx_error slurm_read_accounts(const char *text, struct launch_tasks *out);

// "1234" or "1234;cluster", as sbatch --parsable prints it. The caller frees the result.
struct bilanx_error slurm_read_job(const char *text, char **job);

// Whether a word is the number of a job, and not, for example, an option of scancel.
bool slurm_is_job(const char *word);

// Sums up the numbers of nodes that sinfo prints, one per line: "%D|%T". Nodes that are down or
// drained do not count.
struct bilanx_error slurm_read_nodes(const char *text, uint64_t *machines);

// Finds a value in what 'scontrol show config' prints: "MaxArraySize            = 1001". The caller
// frees the result; NULL: there is no such key.
char *slurm_config_value(const char *text, const char *key);

// Whether the output of a failed command says that the scheduler cannot currently be reached.
bool slurm_is_unreachable(const char *text);

#endif
